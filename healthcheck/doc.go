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
// # The order of the rules
//
// With each look at an object the engine goes through these steps:
//
//  1. The precheck of the object ([ObjectPrecheck]) and those of each condition
//     ([Precheck]) say whether there is anything to check.
//  2. The checks are run side by side, or their last results are used again
//     (NamedCheck.Interval).
//  3. Results that say how long a progress may take get their deadlines ([Progress]).
//  4. [Merge] makes one result of those of a condition; a [Summary] puts it into words,
//     and ConditionChecks.Conclude has the last word.
//  5. [Damping] holds up a result that was not found often enough.
//  6. The [Root] condition sums up the others.
//  7. What changed is written, first clocks and then conditions, and reported: metrics,
//     the log, Events, OnTransition.
//
// Evaluate goes through all steps but the last.
//
// # One word for one thing
//
//   - [Status]: True, False, Unknown, Progressing, or Skipped. A Progressing result
//     has a deadline; past it, it is False. A machine in its grace period and a
//     Deployment that rolls out are the same thing. A check that does not know when
//     the progress began says how long it may take, and the engine keeps the clock
//     on the object ([Progress], [ProgressStore]).
//   - [Result]: what one check found. Plain data.
//   - [Check]: one method. [CheckFunc] adapts a function.
//   - [Precheck]: does this condition apply to this object at all?
//   - [Needs] and [Env]: what a check needs beside the object, such as a client of
//     another cluster. It is declared, and handed over anew in each run; nothing is
//     put into the check. A need that can never be met is an error of the
//     registration.
//   - [Summary]: puts the results of a condition into words.
//   - [Condition]: a merged result as it is stored on the object.
//   - [Store]: reads and writes conditions, so that condition types other than
//     metav1.Condition fit too.
//
// # Nothing is healthy by omission
//
// No result at all, a check that returns an error, that takes too long, that
// panics, that cannot get what it needs, or that returns a status outside of the
// closed set: each of these is Unknown with its own reason, never True. A skipped
// check does not count, and a condition whose checks are all skipped is removed.
//
// The package knows nothing of Cluster API or of any other kind of object. Ready-made
// checks are in package checks, clients of other clusters in package targets, and one
// answer about many objects, over HTTP too, in package report.
package healthcheck
