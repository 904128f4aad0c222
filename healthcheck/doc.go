// Package healthcheck lets anyone write health checks for their own Kubernetes resources.
// Sickbay itself is built on it.
//
// # The idea
//
// A check looks at one object and returns a [Result]. The engine merges the results of all
// checks of one condition type into one condition, and writes it to the object's status
// only when it changed. A result says when it will change by itself ([Result.RecheckAt],
// [Result.Deadline]), and the engine looks again at exactly that moment. So the requeue
// time can never disagree with the verdict.
//
// The pure part is [Status], [Result] and [Merge]: plain data in, plain data out. The
// engine is [Reconciler], a generic controller on controller-runtime: it gets the object,
// runs the checks side by side with a timeout each, merges their results, writes through a
// [Store], and requeues.
//
// # The order of the rules
//
// At each look at an object, the engine goes through these steps:
//
//  1. The precheck of the object ([ObjectPrecheck]) and those of each condition
//     ([Precheck]) say whether there is anything to check.
//  2. It runs the checks side by side, or reuses their last results (NamedCheck.Interval).
//  3. Results that say how long a progress may take get their deadlines ([Progress]).
//  4. [Merge] makes one result from those of a condition; a [Summary] puts it into words,
//     and ConditionChecks.Conclude has the last word.
//  5. [Damping] delays a result that was not found often enough.
//  6. The [Root] condition sums up the others.
//  7. The engine writes what changed, first clocks and then conditions, and reports it:
//     metrics, the log, Events, OnTransition.
//
// Evaluate goes through all steps except the last.
//
// # One word for one thing
//
//   - [Status]: True, False, Unknown, Progressing, or Skipped. A Progressing result has a
//     deadline; past it, it is False. A machine in its grace period and a Deployment that
//     rolls out are the same thing. A check that does not know when the progress began says
//     how long it may take, and the engine keeps the clock on the object ([Progress],
//     [ProgressStore]).
//   - [Result]: what one check found. Plain data.
//   - [Check]: one method. [CheckFunc] adapts a function.
//   - [Precheck]: does this condition apply to this object at all?
//   - [Needs] and [Env]: what a check needs besides the object, such as a client of another
//     cluster. The check declares it, and the engine passes it in at each run. A
//     registration with a need that can never be met is invalid.
//   - [Summary]: puts the results of a condition into words.
//   - [Condition]: a merged result as stored on the object.
//   - [Store]: reads and writes conditions, so that condition types other than
//     metav1.Condition work too.
//
// # Nothing is healthy by omission
//
// No result at all, or a check that returns an error, takes too long, panics, cannot get
// what it needs, or returns an undefined status: each of these counts as Unknown with its
// own reason, never True. A skipped check does not count, and the engine removes a
// condition whose checks are all skipped.
//
// The package knows nothing of Cluster API or of any other kind of object. Ready-made
// checks are in package checks, and clients of other clusters in package targets. Package
// report summarizes many objects, over HTTP too.
package healthcheck
