package healthcheck

import (
	"context"
	"time"

	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// DefaultCheckTimeout is how long a check may take if the registration does not
// say.
const DefaultCheckTimeout = 30 * time.Second

// defaultSyncPeriod is how often an object is checked if a check looks at what nothing
// watches, and the registration does not say.
const defaultSyncPeriod = 30 * time.Second

// Never is a Registration.SyncPeriod that never ends: an object is checked on events, and when
// a result says that it changes.
const Never time.Duration = -1

// defaultCheckConcurrency is how many checks run at once if the registration does
// not say.
const defaultCheckConcurrency = 100

// defaultConcurrency is how many objects are checked at once if neither the registration
// nor the manager says.
const defaultConcurrency = 10

// NamedCheck is a check with the name under which it is logged.
type NamedCheck[T any] struct {
	// Name identifies the check among those of its condition, in messages and metrics too. It
	// must not be empty or have "|" in it.
	Name string
	// Check is run for each object.
	Check Check[T]
	// Needs is what the check needs beside the object. It gets that, and nothing else, in
	// Input.Env.
	Needs Needs
	// Interval is for a check that is expensive, such as one that asks over a network: its last result is used again for that
	// long. The default is zero: the check is run whenever the object is looked at, be it for an event or since another check
	// failed.
	//
	// The engine looks at the object when the interval ends, and runs the check. It runs it earlier only
	//   - when the RecheckAt or the deadline of its result has come,
	//   - when Damping is to count the next finding,
	//   - when the object was changed: its UID, generation, labels or annotations, except for those of progress, or its
	//     deletion has begun. Without a generation any write is a change, also one of the engine.
	//
	// So a check that depends on something else that is watched should have no Interval. Results are kept in memory: after a
	// restart all checks are run. An error is not kept, nor is a result that breaks the rules.
	Interval time.Duration
}

// ConditionChecks is all that makes one condition.
type ConditionChecks[T any] struct {
	// Type is the condition type. One condition has one writer: nobody else may
	// write it.
	Type string
	// Checks are run side by side; their results are merged in this order.
	Checks []NamedCheck[T]
	// Negative says that the condition is True when the object is not healthy, as Degraded
	// and Stalled are. Checks answer as for any other condition, True for healthy; the engine
	// swaps True and False when it stores the result. What it says of stored conditions has
	// the stored status: Events, the log, metrics of conditions, Transition.From and To, and
	// the conditions of an Evaluation. What it hands to checks and to the functions here has
	// the status of the checks: Input.Current, results, Findings, Transition.Result.
	Negative bool
	// Prechecks are asked in order; the first that does not answer Applies decides.
	Prechecks []Precheck[T]
	// PrecheckNeeds is what the prechecks need beside the object.
	PrecheckNeeds Needs
	// WhileUndecided is what becomes of the condition while a precheck cannot be carried
	// out: Applies, the default, makes it Unknown; LeaveAlone leaves it as it is, for a
	// condition that may turn out to belong to somebody else.
	WhileUndecided Applicability
	// Summary makes the message of the condition. The default is that of Merge: the
	// messages of all checks with the worst status, joined. For a healthy object it is
	// usually empty.
	Summary Summary
	// Conclude, if set, has the last word: it returns the result of the condition. It is for
	// those who need other rules than those of Merge, such as that two of three replicas
	// have to answer. It must depend on nothing but the findings, and change none of them. What it
	// returns is read as the result of a check: Progressing needs a Deadline.
	Conclude func(found Findings) Result
	// Damping keeps the condition from flapping. It is off by default.
	Damping Damping
}

// Watch is a kind of object that checks look at, in the cluster of the manager.
type Watch struct {
	// Object is an empty one of the kind. A PartialObjectMetadata will do if the checks
	// read no more than metadata from the cache.
	Object client.Object
	// Map maps one to the objects to check. The default is the controller of the
	// watched object, by owner reference, if it is of the kind of the registration.
	Map handler.MapFunc
	// Predicates let pass what can change a verdict. Without any, each event passes.
	Predicates []predicate.Predicate
}

// Registration describes the health checks of one kind of object. Its functions, and those of
// its conditions, are called for several objects at once, and must be safe for concurrent use.
// It must not be changed once the controller runs.
type Registration[T client.Object] struct {
	// Name is the name of the controller, unique in its manager.
	Name string
	// New returns an empty object of the kind. The default is a new T; it is needed only
	// where T does not say of which kind an object is, as *unstructured.Unstructured.
	New func() T
	// Conditions are the condition types and their checks.
	Conditions []ConditionChecks[T]
	// Root, if it has a type, is one more condition, which sums up the others.
	Root Root
	// Precheck, if set, says whether an object is to be checked at all, such as one that is being deleted or paused, and when
	// that changes.
	Precheck ObjectPrecheck[T]
	// PrecheckNeeds is what Precheck needs beside the object.
	PrecheckNeeds Needs
	// Source is what a check with NeedsSource reads from. The default is the client
	// of the Reconciler.
	Source client.Reader
	// Targets gives clients to the checks with NeedsTarget.
	Targets Targets[T]
	// Parent returns the object that obj belongs to, for the checks with NeedsParent.
	// It is called at most once in each run, within the time of the check that asks
	// first. An error makes the checks that need it Unknown, with
	// ReasonParentUnavailable.
	Parent func(ctx context.Context, obj T) (client.Object, error)
	// Predicates filter the events of the kind itself. Without any, each event
	// leads to a check. That an object is gone is heard of in any case.
	Predicates []predicate.Predicate
	// Watches are kinds that the checks look at. Each event that passes their
	// predicates leads to a check of the objects concerned.
	Watches []Watch
	// MoreWatches, if set, adds more watches on whatever the checks look at. It is called
	// once, before the controller starts; it may keep ctl to add more later.
	MoreWatches func(ctl controller.Controller) error
	// SyncPeriod is the net below the events: each object is checked again after it at the
	// latest, with up to a tenth more. After a check that could not be carried out it is the
	// back-off instead, of up to 30 seconds. The default is 30 seconds if a check or a precheck
	// needs a target, or if one needs anything and there are neither Watches nor MoreWatches:
	// there would be no event when its answer changes. Otherwise the default is Never.
	SyncPeriod time.Duration
	// CheckTimeout bounds each check. The default is DefaultCheckTimeout. A
	// ReconciliationTimeout of the manager that is shorter bounds it instead; the verdict
	// is stored all the same.
	CheckTimeout time.Duration
	// Concurrency is how many objects are checked at once. The default is that of the
	// manager, or else 10. An object whose target is dead takes one of these places for up to
	// CheckTimeout, so it should be more than the targets that may be dead at once.
	Concurrency int
	// CheckConcurrency is how many checks run at once, over all objects. A check that does
	// not return at its timeout is not counted any more; it is not run again for its object
	// until it has returned. The default is 100.
	CheckConcurrency int
	// NewQueue, if set, makes the queue of the controller, as the option of that name of
	// controller-runtime's controllers does: for those who serve some objects first.
	NewQueue func(name string, limiter workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request]
	// Store reads and writes the conditions. The default is a Metav1Store, if T has the
	// method GetConditions() []metav1.Condition. A Metav1Store without a Client or a
	// FieldOwner gets those of the manager and the registration, and so does one that is
	// embedded in a store of one's own.
	Store Store[T]
	// Progress keeps the clocks of results with Result.Within. The default is an
	// AnnotationProgress with the manager's client and the name of the registration.
	Progress ProgressStore[T]
	// Recorder, if set, gets an Event for each change of the status of a condition, but for
	// its removal: a Warning if the object is not healthy.
	Recorder events.EventRecorder
	// OnTransition, if set, is called after a condition with another status or reason was
	// stored, or one was removed. It is the place for events and metrics of one's own. It is
	// called for several objects at once, and the next run of its object waits for it.
	OnTransition func(ctx context.Context, obj T, transition Transition)
}
