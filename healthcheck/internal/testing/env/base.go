package env

// base is what every test of this module gets: the kinds of Kubernetes are enough.
func base() []Option { return nil }
