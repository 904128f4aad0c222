package gardener

import (
	"fmt"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// ControllerName is the prefix of the default names of controllers.
const ControllerName = "healthcheck"

// Rules determine how the results of checks become a condition.
type Rules int

const (
	// CompatibleRules are those of Gardener's library.
	CompatibleRules Rules = iota
	// BestRules are those of package healthcheck: a check that could not be carried out
	// does not hide False, each cause of a progress has its own clock, and a check whose
	// pre-check returns false is left out, with the condition if there is no other check.
	BestRules
)

// defaultConcurrency is the default number of objects that are checked at once. It is more
// than one, so that a shoot that does not answer does not delay the others.
const defaultConcurrency = 5

// Registration describes the health checks of one kind of extension object. The functions
// with the names of Gardener fill it from their arguments.
type Registration struct {
	// Type is spec.type of the objects, such as "aws".
	Type string
	// Kind is the kind of the objects.
	Kind schema.GroupVersionKind
	// New returns an empty object, typed or unstructured.
	New func() client.Object
	// NewList returns an empty list of the objects. The default comes from the scheme.
	NewList func() client.ObjectList
	// Predicates filter the events of the objects, in addition to type and class.
	Predicates []predicate.Predicate
	// HealthChecks are the checks. Texts follow their order.
	HealthChecks []ConditionTypeToHealthCheck
	// Former are the types of conditions that were registered earlier: see Store.
	Former []gardencorev1beta1.ConditionType
	// Texts selects the words of the conditions.
	Texts Texts

	DefaultAddArgs
}

// DefaultAddArgs are the options of a registration. The first three are Gardener's.
type DefaultAddArgs struct {
	// Controller sets with MaxConcurrentReconciles how many objects are checked at once;
	// the default is five. Its other fields are ignored.
	Controller controller.Options
	// HealthCheckConfig is the configuration of the extension.
	HealthCheckConfig HealthCheckConfig
	// ExtensionClasses are the classes of the objects. The default is shoot.
	ExtensionClasses []extensionsv1alpha1.ExtensionClass

	// Name is the name of the controller. The default consists of the kind, the type, and
	// the classes if they are not the default: healthcheck-worker-aws.
	Name string
	// Rules determine how the results become a condition.
	Rules Rules
	// UnknownPasses counts the answers Unknown and "" as a pass, as Gardener's library
	// does. By default they make the condition Unknown.
	UnknownPasses bool
	// Targets returns clients of shoots. The default is a ShootTargets.
	Targets healthcheck.Targets[client.Object]
	// Watches are kinds whose events lead to a check at once, rather than after the sync
	// period.
	Watches []healthcheck.Watch
	// Recorder, if set, gets an Event for each change of a condition's status.
	Recorder events.EventRecorder
	// Clock tells the time. The default is the real one.
	Clock clock.PassiveClock
}

// Validate returns an error if something is missing or invalid.
func (r *Registration) Validate() error {
	if r.Type == "" || r.New == nil || r.Kind.Empty() {
		return fmt.Errorf("registration of %s %q needs Type, Kind and New", r.Kind.Kind, r.Type)
	}
	if _, err := accessor(r.New()); err != nil {
		return fmt.Errorf("registration of %s %q: %w", r.Kind.Kind, r.Type, err)
	}
	if r.HealthCheckConfig.SyncPeriod.Duration < 0 {
		return fmt.Errorf("registration of %s %q: the sync period is negative", r.Kind.Kind, r.Type)
	}
	for _, check := range r.HealthChecks {
		if check.HealthCheck == nil {
			return fmt.Errorf("registration of %s %q: a check of %s is nil", r.Kind.Kind, r.Type, check.ConditionType)
		}
		if err := validCopies(check.HealthCheck); err != nil {
			return fmt.Errorf("registration of %s %q: a check of %s: %w", r.Kind.Kind, r.Type, check.ConditionType, err)
		}
	}
	return nil
}
