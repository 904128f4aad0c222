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
// A rule that has only the name of a kind is that of Gardener, except [PersistentVolumeClaim],
// which is that of kstatus. It asks whether an object does its work, not whether it is still
// busy: a Deployment that rolls out is healthy if it is available. It differs from Gardener's in
// one thing: a status for an older generation is never True. If it would be, it is Progressing,
// for a minute.
//
// Deployments, StatefulSets and DaemonSets have two more rules each. One whose name ends in
// RolledOut, such as [DeploymentRolledOut], asks whether the object has become what its spec
// says. One whose name ends in Available, such as [StatefulSetAvailable], asks whether it
// serves, and knows what a rolling update takes down.
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
// [Certificate] checks how long certificates are valid, [HTTP], [TCP] and [TLS] probe endpoints,
// and [ServiceEndpoints] asks whether a Service has a ready one. Authors of other checks that use a network find [StableError] here.
package checks
