package machinehealth

import (
	"cmp"
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/fairqueue"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// ControllerName names the controller in logs, metrics and events.
const ControllerName = "machinehealth"

// FieldOwner is the field manager for the conditions of this package.
const FieldOwner = ownwrites.MachineHealthFieldOwner

// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters;machines;machinehealthchecks,verbs=list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines,verbs=patch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines/status,verbs=patch
// +kubebuilder:rbac:groups=metal3.io,resources=baremetalhosts,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=list;watch

// Reconciler gives the verdict on Machines. AddToManager fills the fields that
// are nil.
type Reconciler struct {
	Client    client.Client
	Observer  *Observer
	Selectors *mhcspec.Selectors
	Policy    mhcspec.Policy
	// Clusters are the connections to workload clusters, for watching their Nodes. If nil, nothing is watched.
	Clusters    *workload.Clusters
	Recorder    events.EventRecorder
	Clock       clock.PassiveClock
	SyncPeriod  time.Duration
	Concurrency int

	// ctl is kept to add watches on kinds that are installed later.
	ctl controller.Controller
	// engine is made by Engine.
	engine *healthcheck.Reconciler[*clusterv1.Machine]
	// watchNodes makes events of a cluster's Nodes wake the controller.
	watchNodes func(ctx context.Context, cluster client.ObjectKey) error
}

// Reconcile judges one Machine.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return r.Engine().Reconcile(ctx, req)
}

// Engine returns the health check engine with our conditions registered.
func (r *Reconciler) Engine() *healthcheck.Reconciler[*clusterv1.Machine] {
	if r.engine != nil {
		return r.engine
	}
	if r.watchNodes == nil {
		r.watchNodes = func(context.Context, client.ObjectKey) error { return nil }
	}
	r.engine = &healthcheck.Reconciler[*clusterv1.Machine]{
		Client: r.Client,
		Clock:  r.Clock,
		Registration: healthcheck.Registration[*clusterv1.Machine]{
			Name: ControllerName,
			New:  func() *clusterv1.Machine { return &clusterv1.Machine{} },
			Conditions: []healthcheck.ConditionChecks[*clusterv1.Machine]{{
				Type:      verdict.ConditionType,
				Prechecks: []healthcheck.Precheck[*clusterv1.Machine]{r.applies},
				// The Machine may be somebody else's, or paused, so leave it alone.
				WhileUndecided: healthcheck.LeaveAlone,
				Checks:         []healthcheck.NamedCheck[*clusterv1.Machine]{{Name: "machine", Check: healthcheck.CheckFunc[*clusterv1.Machine](r.check)}},
			}, {
				Type:           verdict.HostConditionType,
				Prechecks:      []healthcheck.Precheck[*clusterv1.Machine]{r.hostApplies},
				WhileUndecided: healthcheck.LeaveAlone,
				Checks:         []healthcheck.NamedCheck[*clusterv1.Machine]{{Name: "host", Check: healthcheck.CheckFunc[*clusterv1.Machine](r.checkHost)}},
				Damping:        steadyHost,
			}},
			Progress:     healthcheck.AnnotationProgress[*clusterv1.Machine]{Client: r.Client, Name: ControllerName},
			Store:        healthcheck.Metav1Store[*clusterv1.Machine]{Client: r.Client, FieldOwner: FieldOwner},
			SyncPeriod:   r.SyncPeriod,
			Concurrency:  r.Concurrency,
			Predicates:   []predicate.Predicate{relevantMachineChange()},
			OnTransition: r.onTransition,
		},
	}
	return r.engine
}

// AddToManager registers the controller and its watches.
func (r *Reconciler) AddToManager(mgr ctrl.Manager) error {
	r.Client = cmp.Or(r.Client, mgr.GetClient())
	r.Clock = cmp.Or[clock.PassiveClock](r.Clock, clock.RealClock{})
	r.Recorder = cmp.Or(r.Recorder, mgr.GetEventRecorder(ControllerName))
	r.Selectors = cmp.Or(r.Selectors, &mhcspec.Selectors{})
	r.Engine().NewQueue = fairqueue.New(fairqueue.ByCluster(mgr.GetCache(), r.Engine().New, queuePlace))
	r.Engine().MoreWatches = func(ctl controller.Controller) error { return r.addWatches(mgr.GetCache(), ctl) }
	return r.Engine().AddToManager(mgr)
}

// queuePlace puts machines that have a verdict before those that have none yet: many new machines must not hold up the others.
func queuePlace(machine *clusterv1.Machine) (cluster string, canWait bool) {
	return machine.Spec.ClusterName, meta.FindStatusCondition(machine.Status.Conditions, verdict.ConditionType) == nil
}
