// Package checks has ready-made health checks for objects that another object
// depends on, such as the Deployment behind a custom resource.
//
// A [Rule] is a pure function from an object to a healthcheck.Result: [Deployment],
// [Pod], [Job], and so on, one for each kind. A check is a rule with a place to look:
// [Self] looks at the object under examination, [One] at one object that it depends on,
// [Each] at all that a list finds. A registration watches what its checks look at as
// Watches, filtered by [VerdictChanged].
//
// The kinds of Cluster API have their rules in package clusterapi, a module of its own
// below this package. For kinds without a rule see the packages kstatus and cel.
//
// # What the rules say
//
// The rules are those of Gardener: they ask whether a thing does its work, not whether
// it is still busy. A Deployment that rolls out is healthy as long as it is available.
// Who wants the roll-out to end too takes the rule with that name, [DeploymentRolledOut]
// for instance. In one thing they differ: a verdict over an older generation than the
// present one is not False but Progressing, for a minute, and never True.
//
// A rule knows no clock. Where time is allowed for something the result is
// Progressing with healthcheck.Result.Within, and the engine keeps the time; or with a
// Deadline, which may have passed, if the object itself tells since when. How long
// that is, and for which reasons, is changed by [Tolerate], for each rule in the same
// way:
//
//	checks.Tolerate(5*time.Minute, checks.Service, checks.ReasonNoIngress)
//	checks.Tolerate(0, checks.Deployment) // at once
//
// A passing result has a reason and no message. All other messages are one sentence,
// the same for the same problem: they have no numbers that count up or down by themselves.
//
// # Certificates and endpoints
//
// [Certificate] looks at how long certificates are valid, and [HTTP], [TCP] and [TLS] ask
// endpoints. Authors of other checks that ask over a network find [StableError] here.
package checks
