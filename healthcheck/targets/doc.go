// Package targets gives health checks clients of other clusters: one for each target
// and credential, shared by all objects and checks, and closed when nobody uses it.
//
// # The idea
//
// An object says which cluster it is about ([Resolve]): by a secret with a kubeconfig
// ([KubeconfigSecret]), or in any other way. [Clients] keeps what is expensive, the
// connection, the TLS session and what discovery said, for as long as the [Target] has
// the same key and the same version. A new version, which is a new credential, makes a
// new client at once; the old one closes when its last request has ended.
//
// # A dead target costs nobody much
//
// Each request has a timeout. The first one to a target is preceded by a small one
// that asks whether it answers, and all who come meanwhile wait for that one. If a target does
// not answer, each read from it fails at once, with the very same error, until a
// back-off has passed; then one request tries again. So neither the objects of this
// target nor those of others wait for it in each run. Targets share no lock while
// anything is sent.
//
// A target that refuses the credential (401) is treated alike, and then the
// configuration is made anew, too.
//
// # Errors are words of a condition
//
// A [healthcheck.UnavailableError] has no ports, durations or attempts in its text, so that a
// condition with it is written once, and not in each run.
package targets
