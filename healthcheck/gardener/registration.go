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

// ControllerName begins the names of controllers.
const ControllerName = "healthcheck"

// Rules say how the results of checks make a condition.
type Rules int

const (
	// CompatibleRules are those of Gardener's library.
	CompatibleRules Rules = iota
	// BestRules are those of package healthcheck: False is not hidden by what could not
	// be carried out, progress has a clock for each cause, and a check that its
	// pre-check does not want is left out, with the condition if there is no other.
	BestRules
)

// defaultConcurrency is how many objects are checked at once if nobody says. It is more
// than one, so that a shoot that does not answer holds nobody up.
const defaultConcurrency = 5

// Registration is all that makes the health checks of one kind of extension object.
// The functions with the names of Gardener fill it from their arguments.
type Registration struct {
	// Type is spec.type of the objects, such as "aws".
	Type string
	// Kind is theirs.
	Kind schema.GroupVersionKind
	// New returns an empty object, typed or unstructured.
	New func() client.Object
	// NewList returns an empty list of them. The default is one by the scheme.
	NewList func() client.ObjectList
	// Predicates filter the events of the objects, in addition to type and class.
	Predicates []predicate.Predicate
	// HealthChecks are the checks, in the order of the texts.
	HealthChecks []ConditionTypeToHealthCheck
	// Former are the types of conditions that were registered once, see Store.
	Former []gardencorev1beta1.ConditionType
	// Texts are the words of the conditions.
	Texts Texts

	DefaultAddArgs
}

// DefaultAddArgs are the options of a registration. The first three are Gardener's.
type DefaultAddArgs struct {
	// Controller says by MaxConcurrentReconciles how many objects are checked at once;
	// the default is five. Its other fields are the engine's business.
	Controller controller.Options
	// HealthCheckConfig is from the configuration of the extension.
	HealthCheckConfig HealthCheckConfig
	// ExtensionClasses are those of the objects. The default is shoot.
	ExtensionClasses []extensionsv1alpha1.ExtensionClass

	// Name is that of the controller. The default has the kind, the type, and the
	// classes if they are not the default: healthcheck-worker-aws.
	Name string
	// Rules say how the results make a condition.
	Rules Rules
	// UnknownPasses has the answers Unknown and "" count as a pass, which is what
	// Gardener's library makes of them. By default they are what could not be told.
	UnknownPasses bool
	// Targets gives clients of shoots. The default is ShootTargets.
	Targets healthcheck.Targets[client.Object]
	// Watches are kinds whose events lead to a check at once, and not after the period.
	Watches []healthcheck.Watch
	// Recorder, if set, gets an Event for each change of the status of a condition.
	Recorder events.EventRecorder
	// Clock tells the time. The default is the real one.
	Clock clock.PassiveClock
}

// Validate returns an error if something is missing or does not fit.
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
	}
	return nil
}
