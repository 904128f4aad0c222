// Package healthcheck is the ground floor of Sickbay: a small engine with which
// anyone can write health checks for their own Kubernetes resources.
//
// # The idea
//
// A check looks at one object and returns a [Result]. The results of all checks
// that are registered for one condition type are merged into one condition,
// which is written to the object's status only when it changed. A result says
// when it will change by itself ([Result.RecheckAt], [Result.Deadline]), and the
// engine looks again at exactly that moment. So the requeue time can never
// disagree with the verdict.
//
// The pure part is [Status], [Result] and [Merge]: plain data in, plain data
// out. The engine is [Reconciler], a generic controller on controller-runtime:
// it gets the object, runs the checks side by side with a timeout each, merges,
// writes through a [Store], and requeues.
//
// # One word for one thing
//
//   - [Status]: True, False, Unknown, or Progressing. A Progressing result has a
//     deadline; past it, it is False. A machine in its grace period and a
//     Deployment that rolls out are the same thing.
//   - [Result]: what one check found. Plain data.
//   - [Check]: one method. [CheckFunc] adapts a function.
//   - [Precheck]: does this condition apply to this object at all?
//   - [Condition]: a merged result as it is stored on the object.
//   - [Store]: reads and writes conditions, so that condition types other than
//     metav1.Condition fit too.
//
// # Nothing is healthy by omission
//
// No result at all, a check that returns an error, that takes too long, that
// panics, or that returns a status outside of the closed set: each of these is
// Unknown with its own reason, never True.
//
// The package knows nothing of Cluster API or of any other kind of object.
package healthcheck
