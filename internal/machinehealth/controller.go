package machinehealth

import (
	"context"
	"time"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// ControllerName names the controller in logs, metrics and events.
const ControllerName = "machinehealth"

// FieldOwner is the field manager for the conditions of this package.
const FieldOwner = ownwrites.MachineHealthFieldOwner

// minInterval is short: a Machine must be found sick the moment its deadline passes, even if something else happens just before.
const minInterval = 50 * time.Millisecond

// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters;machines;machinehealthchecks,verbs=list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines/status,verbs=patch
// +kubebuilder:rbac:groups=metal3.io,resources=baremetalhosts,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=list;watch

// Reconciler gives the verdict on Machines: its engine asks the reader, and writes. AddToManager fills the fields that are nil.
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

	// ctl is kept to add watches later, of Nodes and of kinds that are not installed yet.
	ctl controller.Controller
	// engine is made by Engine.
	engine *healthcheck.Reconciler[*clusterv1.Machine]
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
	reads := r.reader()
	r.engine = &healthcheck.Reconciler[*clusterv1.Machine]{
		Client: r.Client,
		Clock:  r.Clock,
		Registration: healthcheck.Registration[*clusterv1.Machine]{
			Name: ControllerName,
			New:  func() *clusterv1.Machine { return &clusterv1.Machine{} },
			Conditions: []healthcheck.ConditionChecks[*clusterv1.Machine]{{
				Type:      verdict.ConditionType,
				Prechecks: []healthcheck.Precheck[*clusterv1.Machine]{reads.applies},
				// The Machine may be somebody else's, or paused, so leave it alone.
				WhileUndecided: healthcheck.LeaveAlone,
				Checks:         []healthcheck.NamedCheck[*clusterv1.Machine]{{Name: "machine", Check: healthcheck.CheckFunc[*clusterv1.Machine](reads.check)}},
			}, {
				Type:           verdict.HostConditionType,
				Prechecks:      []healthcheck.Precheck[*clusterv1.Machine]{reads.hostApplies},
				WhileUndecided: healthcheck.LeaveAlone,
				Checks:         []healthcheck.NamedCheck[*clusterv1.Machine]{{Name: "host", Check: healthcheck.CheckFunc[*clusterv1.Machine](reads.checkHost)}},
				Damping:        steadyHost,
				ReadBack:       true, // The verdict depends on it.
			}, {
				Type:           verdict.TrustConditionType,
				Prechecks:      []healthcheck.Precheck[*clusterv1.Machine]{reads.trustApplies},
				WhileUndecided: healthcheck.LeaveAlone,
				Checks:         []healthcheck.NamedCheck[*clusterv1.Machine]{{Name: "trust", Check: healthcheck.CheckFunc[*clusterv1.Machine](reads.checkTrust)}},
			}},
			Progress:                healthcheck.AnnotationProgress[*clusterv1.Machine]{Client: r.Client, Name: ControllerName},
			Store:                   healthcheck.Metav1Store[*clusterv1.Machine]{Client: r.Client, FieldOwner: FieldOwner},
			SyncPeriod:              r.SyncPeriod,
			MinInterval:             minInterval,
			MaxConcurrentReconciles: r.Concurrency,
			Predicates:              []predicate.Predicate{relevantMachineChange()},
			OnTransition:            r.onTransition,
		},
	}
	return r.engine
}

// reader returns what reads for the engine and for the watches.
func (r *Reconciler) reader() reader {
	return reader{objects: r.Client, observer: r.Observer, selectors: r.Selectors, policy: r.Policy, watchNodes: r.watchNodes}
}
