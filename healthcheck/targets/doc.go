// Package targets provides health checks with clients of other clusters: one for each target
// and credential, shared by all objects and checks, and closed when unused.
//
// # The idea
//
// [Resolve] returns the target cluster of an object, from a secret with a kubeconfig
// ([KubeconfigSecret]) or in any other way. [Clients] keeps what is expensive (the connection,
// the TLS session and the results of discovery) while the [Access] has the same key and
// version. A new version, which means a new credential, makes a new client at once; the old
// one closes when its last request has ended.
//
// # Dead targets cost little
//
// Each request has a timeout. Before the first one, a small probe checks that the target
// answers; concurrent requests wait for that probe. If a target does not answer, each read
// from it fails at once, with the same error, until a back-off has passed; then one request
// tries again. So objects do not wait for a dead target in each run, neither its own nor those
// of other targets. Targets share no lock while anything is sent.
//
// A target that refuses the credential (401) is handled in the same way, and its configuration
// is also read again.
//
// # Errors fit into conditions
//
// The text of a [healthcheck.UnavailableError] contains no ports, durations or attempts, so
// that a condition with it is written once, and not in each run.
package targets
