package machinehealthcheck

import (
	"cmp"
	"context"
	"errors"
	"time"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/jitter"
	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/tracing"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// ControllerName names the controller in logs, metrics and events.
const ControllerName = "machinehealthcheck"

// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters,verbs=list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines,verbs=list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machinehealthchecks,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machinehealthchecks/status,verbs=patch
// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediations,verbs=list;watch;create;patch
// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediationtemplates,verbs=get;list;watch
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediationtemplates,verbs=list;watch
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediations,verbs=list
// +kubebuilder:rbac:groups=metal3.io,resources=baremetalhosts,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=list;watch

// Reconciler decides which machines of a MachineHealthCheck are admitted. AddToManager sets the fields that are nil.
type Reconciler struct {
	Reader
	// Client writes.
	Client   client.Client
	Recorder events.EventRecorder
	// SyncPeriod is the fallback for missed events.
	SyncPeriod  time.Duration
	Concurrency int
	// Tracer traces admissions. It may be nil.
	Tracer *tracing.Tracer
}

// Reconcile handles one MachineHealthCheck: observe, decide, act.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	mhc, err := scaffold.Find(ctx, r.Cache, req.NamespacedName, &clusterv1.MachineHealthCheck{})
	if err != nil {
		return ctrl.Result{}, err
	}
	if mhc == nil || !mhc.DeletionTimestamp.IsZero() || !r.Policy.Manages(mhc) {
		r.memory.Forget(req.NamespacedName)
		r.Selectors.Forget(req.NamespacedName)
		return ctrl.Result{}, r.handBack(ctx, mhc)
	}
	if wait := r.memory.Wait(mhc, r.Clock.Now()); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	facts, decision, err := r.observeAndDecide(ctx, mhc)
	switch {
	case errors.Is(err, errClusterNotFound):
		return ctrl.Result{}, errors.Join(err, r.storeClusterNotFound(ctx, mhc))
	case errors.Is(err, workload.ErrBusy):
		return ctrl.Result{RequeueAfter: workload.Soon()}, nil
	case err != nil:
		return ctrl.Result{}, err
	}
	// No repair depends on this, so its error comes last.
	refused := r.ensureOwner(ctx, facts, decision)
	facts, decision, again, failed := r.act(ctx, facts, decision)
	later, err := r.storeStatus(ctx, facts, decision)
	if err := errors.Join(refused, failed, err); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: r.requeueAfter(mhc, decision, scaffold.Sooner(again, later))}, nil
}

func (r *Reconciler) writes() writer { return writer{r.Client} }

// requeueAfter returns the earliest time at which to look again; zero means never.
func (r *Reconciler) requeueAfter(mhc *clusterv1.MachineHealthCheck, d admission.Decision, again time.Duration) time.Duration {
	return scaffold.Sooner(scaffold.RequeueAfter(d.RecheckAt, r.Clock.Now(), jitter.Within(r.SyncPeriod, mhc.UID)), again)
}

// AddToManager registers the controller and its watches.
func (r *Reconciler) AddToManager(mgr ctrl.Manager) error {
	r.Client = cmp.Or(r.Client, mgr.GetClient())
	r.Cache = cmp.Or(r.Cache, client.Reader(mgr.GetClient()))
	r.Live = cmp.Or(r.Live, mgr.GetAPIReader())
	r.Clock = cmp.Or[clock.PassiveClock](r.Clock, clock.RealClock{})
	r.Recorder = cmp.Or(r.Recorder, mgr.GetEventRecorder(ControllerName))
	r.Selectors = cmp.Or(r.Selectors, &mhcspec.Selectors{})
	if err := metrics.AddWhileLeading(mgr, ControllerName, r.Metrics); err != nil {
		return err
	}
	return r.addController(mgr)
}
