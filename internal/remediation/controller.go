package remediation

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/lag"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// ControllerName names the controller in logs, metrics and events.
const ControllerName = "remediation"

// FieldOwner is the name under which records are written.
const FieldOwner = "sickbay-remediation"

// maxTurns bounds the writes of one Reconcile; a record needs far fewer.
const maxTurns = 20

// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediations,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediations/status,verbs=update
// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediationtemplates,verbs=get;list;watch
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediations,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediationtemplates,verbs=get;list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters;machinehealthchecks,verbs=get;list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Gate says whether a machine may be repaired now, by the settings of its MachineHealthCheck. An empty string means that it
// may.
type Gate interface {
	// GateClosed judges triggerIf. Its lower bound counts for the first act of a record only.
	GateClosed(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, first bool) (why string, err error)
	// OverBudget counts, past the cache, how many machines are in flight.
	OverBudget(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, r *v1alpha1.MachineRemediation) (why string, err error)
}

// Reconciler carries out MachineRemediations. AddToManager fills the fields that are nil.
type Reconciler struct {
	Client client.Client
	// Live reads past the cache.
	Live      client.Reader
	Observer  *machinehealth.Observer
	Selectors *targets.Selectors
	Policy    targets.Policy
	Gate      Gate
	Recorder  events.EventRecorder
	Clock     clock.PassiveClock
	// Namespace is what the manager is restricted to; empty means all.
	Namespace string
	// SyncPeriod is the net below the events.
	SyncPeriod  time.Duration
	Concurrency int

	written lag.Writes
	kinds   kinds
	nodes   nodeReads
}

// Reconcile takes one record as far as it gets: observe, decide, act, and again.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	record := &v1alpha1.MachineRemediation{}
	if err := r.Client.Get(ctx, req.NamespacedName, record); err != nil {
		if apierrors.IsNotFound(err) {
			r.written.Forget(req.NamespacedName)
			forgetMetrics(req.NamespacedName)
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, fmt.Errorf("getting MachineRemediation %s: %w", req.NamespacedName, err)
	}
	if record.Spec.MachineRef.APIGroup != clusterv1.GroupVersion.Group {
		return ctrl.Result{}, nil
	}
	if r.written.Behind(record) {
		return ctrl.Result{RequeueAfter: lag.Retry}, nil
	}
	record = record.DeepCopy()
	for range maxTurns {
		decision, err := r.turn(ctx, record)
		switch {
		case apierrors.IsConflict(err), apierrors.IsNotFound(err), errors.Is(err, errBusy):
			// Something has changed since it was read, or others come first.
			return ctrl.Result{RequeueAfter: lag.Retry}, nil
		case err != nil:
			return ctrl.Result{}, err
		case decision.Act == ladder.Close:
			return ctrl.Result{}, nil
		case !decision.Store && decision.Act == ladder.None:
			return ctrl.Result{RequeueAfter: r.requeueAfter(record, decision)}, nil
		}
	}
	return ctrl.Result{}, fmt.Errorf("MachineRemediation %s did not settle", req.NamespacedName)
}

// turn looks once, and does one thing.
func (r *Reconciler) turn(ctx context.Context, record *v1alpha1.MachineRemediation) (ladder.Decision, error) {
	v, err := r.observe(ctx, record, cached)
	if err != nil {
		return ladder.Decision{}, err
	}
	decision := ladder.Decide(v.facts, r.Clock.Now())
	if depth := depthFor(record, decision); depth != cached {
		if v, err = r.observe(ctx, record, depth); err != nil {
			return ladder.Decision{}, err
		}
		decision = ladder.Decide(v.facts, r.Clock.Now())
		if depthFor(record, decision) > depth {
			// What was read past the caches asks for more than they did.
			if v, err = r.observe(ctx, record, judged); err != nil {
				return ladder.Decision{}, err
			}
			decision = ladder.Decide(v.facts, r.Clock.Now())
		}
	}
	switch {
	case decision.Store:
		return decision, r.store(ctx, record, v, decision)
	case decision.Act != ladder.None:
		return decision, r.act(ctx, record, v, decision)
	}
	return decision, nil
}

// store writes the status, and says what has changed in it.
func (r *Reconciler) store(ctx context.Context, record *v1alpha1.MachineRemediation, v view, decision ladder.Decision) error {
	before := record.DeepCopy()
	record.Status = decision.Status
	if err := r.Client.Status().Update(ctx, record, client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("writing the status of MachineRemediation %s: %w", client.ObjectKeyFromObject(record), err)
	}
	r.written.Note(record)
	measure(before, record)
	r.announce(ctx, before, record, v)
	return nil
}

// requeueAfter is the earliest of all that asks for another look; zero means never.
func (r *Reconciler) requeueAfter(record *v1alpha1.MachineRemediation, decision ladder.Decision) time.Duration {
	wait := r.SyncPeriod
	if ladder.Ended(record) {
		wait = 0
	}
	if decision.RecheckAt.IsZero() {
		return wait
	}
	due := max(decision.RecheckAt.Sub(r.Clock.Now()), time.Millisecond)
	if wait == 0 {
		return due
	}
	return min(wait, due)
}
