// Package checks has ready-made health checks for objects that another object depends on,
// such as the Deployment behind a custom resource.
//
// A [Rule] is a pure function from an object to a healthcheck.Result: [Deployment], [Pod],
// [Job], and so on, one for each kind. A check applies a rule to objects: [Self] to the
// checked object itself, [One] to one object that it depends on, [Each] to all objects in a
// list. A registration watches these objects with Watches, filtered by [VerdictChanged].
//
// The rules for kinds of Cluster API are in package clusterapi, a separate module below
// this package. For kinds without a rule see the packages kstatus and cel.
//
// # What the rules say
//
// The rules are those of Gardener: they ask whether an object does its work, not whether it
// is still busy. A Deployment that rolls out is healthy if it is available. To require the
// end of the roll-out too, use the rule with that name, such as [DeploymentRolledOut]. The
// rules differ from Gardener's in one thing: a status for an older generation is not False
// but Progressing, for a minute, and never True.
//
// A rule has no clock. Where it allows time, the result is Progressing with
// healthcheck.Result.Within, and the engine keeps the time. If the object itself shows
// since when, the result has a Deadline instead, which may have passed. [Tolerate] changes
// the time and the reasons it applies to, in the same way for each rule:
//
//	checks.Tolerate(5*time.Minute, checks.Service, checks.ReasonNoIngress)
//	checks.Tolerate(0, checks.Deployment) // at once
//
// A passing result has a reason and no message. All other messages are one sentence, the
// same for the same problem: they contain no numbers that count up or down by themselves.
//
// # Certificates and endpoints
//
// [Certificate] checks how long certificates are valid, and [HTTP], [TCP] and [TLS] probe
// endpoints. Authors of other checks that use a network find [StableError] here.
package checks
