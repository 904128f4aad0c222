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

// DefaultCheckTimeout is the default of Registration.CheckTimeout.
const DefaultCheckTimeout = 30 * time.Second

// defaultSyncPeriod is the default of Registration.SyncPeriod if a check looks at something that nothing watches.
const defaultSyncPeriod = 30 * time.Second

// defaultMinInterval is the default of Registration.MinInterval. Times in the Kubernetes API are whole seconds, so nothing
// shorter would be seen there.
const defaultMinInterval = time.Second

// Never as Registration.SyncPeriod switches polling off: the engine checks an object only on events, when a result says that it
// changes, and when the Interval of a check ends.
const Never time.Duration = -1

// defaultCheckConcurrency is the default of Registration.CheckConcurrency.
const defaultCheckConcurrency = 100

// defaultConcurrency is the default of Registration.MaxConcurrentReconciles if the manager has none.
const defaultConcurrency = 10

// NamedCheck is a check with a name.
type NamedCheck[T any] struct {
	// Name identifies the check among those of its condition, in messages and metrics too. It must not be empty or contain
	// "|".
	Name string
	// Check is run for each object.
	Check Check[T]
	// Needs is what the check needs besides the object. Input.Env contains that and nothing else.
	Needs Needs
	// Reads are the kinds that the check reads from the source, such as "Secret". If Watches has all of them, events announce
	// whatever changes, and otherwise the check is polled. The default is none: then any Watches count as enough.
	Reads []string
	// Poll is how often a check runs that looks at something that nothing watches, if no event comes and SyncPeriod is not
	// set: at least MinInterval, and maybe a tenth later. The default is 30 seconds. After a result that is neither True nor
	// Skipped, it is 30 seconds at most.
	Poll time.Duration
	// Interval is how long the last result of the check is reused, at least MinInterval. Set it for an expensive check, such
	// as one that makes calls over the network. The default is zero: the check runs at each event, when its own result
	// changes by itself or its own call failed, and as Poll says; but not when something else of the object is due.
	//
	// The engine looks at the object when the interval ends, and runs the check. It runs it earlier only
	//   - at the RecheckAt or the deadline of its result,
	//   - when Damping needs the next finding,
	//   - when the object has changed: its UID, generation, labels or annotations (except those of progress), or when its
	//     deletion has begun. For an object without a generation, every write is a change, including the engine's own.
	//
	// So a check that depends on other watched objects should have no Interval. Results are kept in memory: after a restart
	// all checks run. Errors are not kept, nor are results that break the rules.
	Interval time.Duration
}

// ConditionChecks describes one condition.
type ConditionChecks[T any] struct {
	// Type is the condition type. One condition has one writer: nothing else may write it.
	Type string
	// Checks are run side by side; their results are merged in this order.
	Checks []NamedCheck[T]
	// Negative says that True means unhealthy, as with Degraded and Stalled. Checks still return True for healthy; the engine
	// swaps True and False when it stores the result. Whatever concerns stored conditions has the stored status: Events, the
	// log, metrics of conditions, Transition.From and To, and the conditions of an Evaluation. Whatever the engine passes to
	// checks and to the functions here has the status of the checks: Input.Current, results, Findings, Transition.Result.
	Negative bool
	// Prechecks are called in order; the first that does not return Applies decides.
	Prechecks []Precheck[T]
	// PrecheckNeeds is what the prechecks need besides the object.
	PrecheckNeeds Needs
	// WhileUndecided is what happens to the condition while a precheck cannot be carried out: Applies, the default, makes it
	// Unknown; LeaveAlone leaves it as it is, for a condition that may turn out to belong to another writer.
	WhileUndecided Applicability
	// Summary returns the message of the condition. The default is that of Merge: the joined messages of all checks with the
	// worst status. For a healthy object it is usually empty.
	Summary Summary
	// Conclude, if set, has the last word: it returns the result of the condition. It is for rules other than those of Merge,
	// for example that two of three replicas must answer. It must depend only on the findings, and must not change them. The
	// rules for the result of a check apply, but Progressing needs a Deadline: Within is not enough.
	Conclude func(found Findings) Result
	// Damping keeps the condition from flapping. It is off by default.
	Damping Damping
	// ReadBack says that checks of the same registration read this condition from the object. A write that changes it then
	// leads to another look, after MinInterval; no other write of the engine does.
	ReadBack bool
}

// Watch is a kind of object that checks look at, in the manager's cluster.
type Watch struct {
	// Object is an empty object of the kind. Use a PartialObjectMetadata if the checks read only metadata from the cache.
	Object client.Object
	// Map returns the objects to check after an event of a watched object. The default is the watched object's controller, by
	// owner reference, if that is of the registration's kind.
	Map handler.MapFunc
	// Predicates pass the events that can change a verdict. Without any, all events pass.
	Predicates []predicate.Predicate
}

// Registration describes the health checks of one kind of object. The engine calls its functions, and those of its
// conditions, for several objects at once, so they must be safe for concurrent use. A Registration must not be changed once
// the controller runs.
type Registration[T client.Object] struct {
	// Name is the name of the controller, unique in its manager.
	Name string
	// FormerNames are names that the registration had before. Conditions that it applied under them are taken over, or
	// removed if they are no longer registered, and so are its clocks. Metav1Store and AnnotationProgress carry this out;
	// your own stores get no names. Without them, whatever was applied under an old name stays.
	FormerNames []string
	// Subset names the objects of the kind that this registration checks, if its Predicates, Client or Precheck leave the
	// others to another registration of the same manager. Two registrations of one kind and subset must have different names
	// and condition types: they would overwrite each other. Across programs nobody can refuse that; see Recorder.
	Subset string
	// New returns an empty object of the kind. The default is a new T. It is required only if T does not determine the kind,
	// as with *unstructured.Unstructured.
	New func() T
	// Conditions are the condition types and their checks.
	Conditions []ConditionChecks[T]
	// Root, if it has a type, is an additional condition that sums up the others.
	Root Root
	// Precheck, if set, says whether to check an object at all (not one that is being deleted or paused, for example), and
	// when that changes.
	Precheck ObjectPrecheck[T]
	// PrecheckNeeds is what Precheck needs besides the object.
	PrecheckNeeds Needs
	// Source is what a check with NeedsSource reads from. The default is the client
	// of the Reconciler.
	Source client.Reader
	// Targets returns clients for the checks with NeedsTarget.
	Targets Targets[T]
	// Parent returns the object that obj belongs to, for the checks with NeedsParent. The engine calls it at most once in
	// each run, within the timeout of the first check that needs it. After an error, the checks that need it are Unknown with
	// ReasonParentUnavailable.
	Parent func(ctx context.Context, obj T) (client.Object, error)
	// Predicates filter the events of the registration's kind. Without any, each event leads to a check. Deletions always
	// pass.
	Predicates []predicate.Predicate
	// Watches are other kinds that the checks look at. Each event that passes their predicates leads to a check of the
	// objects that it maps to.
	Watches []Watch
	// MoreWatches, if set, adds more watches on whatever the checks look at. The engine calls it once, before the controller
	// starts; it may keep ctl to add more later.
	MoreWatches func(ctl controller.Controller) error
	// SyncPeriod is how often each object is checked even without events, by the prechecks and all checks without an Interval,
	// plus up to a tenth. It replaces NamedCheck.Poll, and leaves checks with an Interval alone. While a check cannot be carried out, the back-off replaces it, up to 30 seconds. By default, the engine polls
	// only what looks at something that nothing watches, every 30 seconds or as NamedCheck.Poll says: whatever needs a
	// target, reads a kind that Watches does not have (NamedCheck.Reads), or needs anything if there are neither Watches nor
	// MoreWatches. If there is none of that, or with Never, it polls nothing. In between it does not look at an object.
	SyncPeriod time.Duration
	// MinInterval is the least time between two looks at one object. Events in between lead to one look, at its end; the
	// first after a quiet time leads to one at once. It also bounds what a result or an error asks for: Result.RecheckAt,
	// Result.Deadline, LaterError.After and NamedCheck.Interval. The default is a second, the minimum 10 milliseconds.
	MinInterval time.Duration
	// CheckTimeout is the timeout of each check. The default is DefaultCheckTimeout. A shorter ReconciliationTimeout of the
	// manager replaces it; the verdict is stored anyway.
	CheckTimeout time.Duration
	// MaxConcurrentReconciles is how many objects are checked at once. The default is the manager's, or else 10. An object whose target
	// is dead takes one of these workers for up to CheckTimeout, so set it higher than the number of targets that may be dead
	// at once.
	MaxConcurrentReconciles int
	// CheckConcurrency is how many checks run at once, over all objects. The default is 100. A check that does not return at
	// its timeout no longer counts; it is not run again for its object until it has returned.
	CheckConcurrency int
	// NewQueue, if set, creates the controller's queue, like controller-runtime's controller option of that name. Use it to
	// serve some objects first.
	NewQueue func(name string, limiter workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request]
	// Store reads and writes the conditions. The default is a Metav1Store, if T has the method GetConditions()
	// []metav1.Condition. A Metav1Store without a Client or a FieldOwner gets those of the manager and the registration, even
	// if it is embedded in another store.
	Store Store[T]
	// Progress keeps the clocks of results with Result.Within, and the counts of Damping. The default is an
	// AnnotationProgress with the manager's client and the name of the registration.
	Progress ProgressStore[T]
	// Recorder, if set, gets an Event for each change of a condition's status, except its removal: a Warning if the object is
	// not healthy. If somebody else writes a condition, too, the engine writes it again three times, and then gives way: it
	// waits for 10 seconds, and twice as long each time, up to 10 minutes. A Warning with ReasonContested says so once for
	// each object, and the log once for each writer.
	Recorder events.EventRecorder
	// OnTransition, if set, is called after a condition was stored with another status or reason, or was removed. Use it for
	// your own events and metrics. It is called for several objects at once, and the next run of its object waits for it.
	OnTransition func(ctx context.Context, obj T, transition Transition)
}

// NewCheck returns a check made from a function, its name in messages and metrics, and what
// it needs besides the object. The type of the object follows from the function.
func NewCheck[T any](name string, check func(ctx context.Context, in Input[T]) (Result, error), needs ...Needs) NamedCheck[T] {
	named := NamedCheck[T]{Name: name, Check: CheckFunc[T](check)}
	for _, n := range needs {
		named.Needs |= n
	}
	return named
}

// NewCondition returns a condition with the given type and checks. Set the other fields of
// the result for more.
func NewCondition[T any](conditionType string, checks ...NamedCheck[T]) ConditionChecks[T] {
	return ConditionChecks[T]{Type: conditionType, Checks: checks}
}

// types returns the types of all conditions of the registration.
func (r *Registration[T]) types() []string {
	types := make([]string, 0, len(r.Conditions)+1)
	for i := range r.Conditions {
		types = append(types, r.Conditions[i].Type)
	}
	if r.Root.Type != "" {
		types = append(types, r.Root.Type)
	}
	return types
}

// New returns a controller for a registration. Call SetupWithManager to run it.
func New[T client.Object](registration Registration[T]) *Reconciler[T] {
	r := &Reconciler[T]{Registration: registration}
	if r.New == nil && r.saysKind() {
		r.New = newOf[T]
	}
	return r
}
