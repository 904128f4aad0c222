package healthcheck

import (
	"context"
	"time"

	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// DefaultCheckTimeout is how long a check may take if the registration does not
// say.
const DefaultCheckTimeout = 30 * time.Second

// DefaultSyncPeriod is how often an object is checked if a check looks at what nothing
// watches, and the registration does not say.
const DefaultSyncPeriod = 30 * time.Second

// Never as Registration.SyncPeriod has an object checked on events alone, and when a result
// says that it changes.
const Never time.Duration = -1

// DefaultCheckConcurrency is how many checks run at once if the registration does
// not say.
const DefaultCheckConcurrency = 100

// DefaultConcurrency is how many objects are checked at once if neither the registration
// nor the manager says.
const DefaultConcurrency = 10

// NamedCheck is a check with the name under which it is logged.
type NamedCheck[T any] struct {
	// Name identifies the check among those of its condition. It must not have "|".
	Name string
	// Check is run for each object.
	Check Check[T]
	// Needs is what it needs beside the object. It gets that, and nothing else, in
	// Input.Env.
	Needs Needs
}

// ConditionChecks is all that makes one condition type.
type ConditionChecks[T any] struct {
	// Type is the condition type. One condition has one writer: nobody else may
	// write it.
	Type string
	// Prechecks are asked in order; the first that does not answer Applies decides.
	Prechecks []Precheck[T]
	// WhileUndecided is what becomes of the condition while a precheck cannot be carried
	// out: Applies, the default, makes it Unknown, and LeaveAlone leaves it as it is, for
	// those who must not touch what may belong to somebody else.
	WhileUndecided Applicability
	// PrecheckNeeds is what the prechecks need beside the object.
	PrecheckNeeds Needs
	// Checks are run side by side; their results are merged in this order.
	Checks []NamedCheck[T]
	// CodesOf, if set, tells the codes of a problem from its words, in addition to
	// those that the checks return. It is asked about the error of a check that could
	// not be carried out, and about the message of each result that is False or
	// Progressing.
	CodesOf func(err error) []string
	// Summary makes the message of the condition. The default is that of Merge: the
	// messages of all checks with the worst status, joined. For a healthy object it is
	// usually empty.
	Summary Summary
	// Damping keeps the condition from flapping. It is off by default.
	Damping Damping
	// Conclude, if set, has the last word: it gets what Summary gets, and returns the
	// result of the condition. It is for those who are bound to other rules than Merge
	// and must depend on nothing else, as Summary.
	Conclude func(results []NamedResult, merged Result) Result
	// ProgressRule says by which clock something takes too long. The default is
	// ByCause.
	ProgressRule ProgressRule
}

// Dependant is a kind of object that checks look at, in the cluster of the manager.
type Dependant struct {
	// Object is an empty one of the kind. A PartialObjectMetadata will do if the checks
	// read no more than metadata from the cache.
	Object client.Object
	// Owners maps one to the objects to check. The default is the controller of the
	// dependant, by owner reference, if it is of the kind of the registration.
	Owners handler.MapFunc
	// Predicates let pass what can change a verdict. Without any, each event passes.
	Predicates []predicate.Predicate
}

// Registration describes the health checks of one kind of object.
type Registration[T client.Object] struct {
	// Name is the name of the controller, unique in its manager.
	Name string
	// New returns an empty object of the kind, for example
	// func() *appsv1.Deployment { return &appsv1.Deployment{} }.
	New func() T
	// Conditions are the condition types and their checks.
	Conditions []ConditionChecks[T]
	// Store reads and writes the conditions. For metav1.Condition an empty Metav1Store will
	// do.
	Store Store[T]
	// Progress keeps the clocks of results with Result.Within. The default is an
	// AnnotationProgress with the manager's client and the name of the registration.
	Progress ProgressStore[T]
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
	// SyncPeriod is the net below the events: each object is checked again after it at the
	// latest, with up to a tenth more. After a check that could not be carried out it is the
	// back-off instead, of up to 30 seconds. The default is DefaultSyncPeriod if a check
	// needs a target, or if one needs anything and there are neither Dependants nor Watches:
	// no event would tell that its answer has changed. Else the default is Never.
	SyncPeriod time.Duration
	// CheckTimeout bounds each check. The default is DefaultCheckTimeout. A
	// ReconciliationTimeout of the manager that is shorter bounds it instead; the verdict
	// is stored all the same.
	CheckTimeout time.Duration
	// Concurrency is how many objects are checked at once. The default is that of the
	// manager, or else DefaultConcurrency: an object waits for what its checks ask as
	// long as a check may take, and should not have others wait, too. It should be more
	// than there may be dead ones.
	Concurrency int
	// CheckConcurrency is how many checks run at once, over all objects. One that
	// has not ended at its timeout is not counted any more; it is not run again for its
	// object until it has. The default is
	// DefaultCheckConcurrency.
	CheckConcurrency int
	// Predicates filter the events of the kind itself. Without any, each event
	// leads to a check.
	Predicates []predicate.Predicate
	// Dependants are kinds that the checks look at. Each event that passes their
	// predicates leads to a check of the objects concerned.
	Dependants []Dependant
	// Watches, if set, adds more watches on whatever the checks look at. It is called
	// once, before the controller starts; it may keep ctl to add more later.
	Watches func(ctl controller.Controller) error
	// Recorder, if set, gets an Event for each change of the status of a condition.
	Recorder events.EventRecorder
	// OnTransition, if set, is called after a condition was stored, changed its
	// status or its reason. It is the place for events and metrics of one's own.
	OnTransition func(ctx context.Context, obj T, transition Transition)
}

// Transition is a change of a stored condition.
type Transition struct {
	// From is the condition as it was; its Status is empty if there was none.
	From Condition
	// To is the condition as it is stored now; its Status is empty if it was
	// removed.
	To Condition
	// Result is the merged result behind To.
	Result Result
	// At is when To was known to be stored.
	At time.Time
}

// removes reports whether the condition is gone.
func (t Transition) removes() bool { return t.To.Type == "" }
