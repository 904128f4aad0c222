package machinehealthcheck

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lag"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/status"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// ControllerName names the controller in logs, metrics and events.
const ControllerName = "machinehealthcheck"

// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters,verbs=get;list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines/status,verbs=patch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machinehealthchecks,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machinehealthchecks/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconciler decides on remediation for MachineHealthChecks. AddToManager fills the
// fields that are nil.
type Reconciler struct {
	Client client.Client
	// Live reads past the cache.
	Live      client.Reader
	Observer  *machinehealth.Observer
	Selectors *targets.Selectors
	Policy    targets.Policy
	Remedies  remedy.Cabinet
	Recorder  events.EventRecorder
	// Namespace is what the manager is restricted to; empty means all.
	Namespace string
	Clock     clock.PassiveClock
	// SyncPeriod is the net below the events.
	SyncPeriod  time.Duration
	Concurrency int

	acted    acted
	failures failures
	kinds    kinds
	first    firsts
	written  lag.Writes
	told     told
}

// Reconcile looks at one MachineHealthCheck: observe, decide, act.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	mhc := &clusterv1.MachineHealthCheck{}
	if err := r.Client.Get(ctx, req.NamespacedName, mhc); err != nil {
		if apierrors.IsNotFound(err) {
			r.forget(req.NamespacedName)
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, fmt.Errorf("getting MachineHealthCheck %s: %w", req.NamespacedName, err)
	}
	if !mhc.DeletionTimestamp.IsZero() || !r.Policy.Manages(mhc) {
		r.forget(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	if r.written.Behind(mhc) {
		return ctrl.Result{RequeueAfter: lag.Retry}, nil
	}
	facts, decision, err := r.decide(ctx, mhc)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.adopt(ctx, facts, decision); err != nil {
		return ctrl.Result{}, err
	}
	again, failed := r.act(ctx, facts, decision)
	later, err := r.tell(ctx, facts, decision)
	if err != nil || failed != nil {
		return ctrl.Result{}, errors.Join(failed, err)
	}
	return ctrl.Result{RequeueAfter: r.requeueAfter(decision, sooner(again, later))}, nil
}

// forget drops what is kept for a MachineHealthCheck that is gone, or not ours.
func (r *Reconciler) forget(key client.ObjectKey) {
	forgetMetrics(key)
	r.written.Forget(key)
	r.Selectors.Forget(key)
	r.acted.forget(key)
	r.failures.replace(key, nil)
	r.first.forget(key)
	r.told.forget(key)
}

// decide observes and decides. A decision to remediate that rests on the number of
// unhealthy Machines is made on what is known now, and not on what was stored when.
func (r *Reconciler) decide(ctx context.Context, mhc *clusterv1.MachineHealthCheck) (Facts, Decision, error) {
	facts, decision, err := r.decideOnStored(ctx, mhc)
	if err != nil || !decision.restsOnCount() {
		return facts, decision, err
	}
	if err := r.doubt(ctx, facts, decision); err != nil {
		return Facts{}, Decision{}, err
	}
	return facts, Decide(facts, r.Clock.Now()), nil
}

// decideOnStored decides on what is stored. The first time that a bounded budget is
// to be spent since the process began, it reads past the cache: the last leader may
// have spent some of it just before it went.
func (r *Reconciler) decideOnStored(ctx context.Context, mhc *clusterv1.MachineHealthCheck) (Facts, Decision, error) {
	facts, err := r.observe(ctx, mhc, false)
	if err != nil {
		return Facts{}, Decision{}, err
	}
	decision, key := Decide(facts, r.Clock.Now()), client.ObjectKeyFromObject(mhc)
	if len(decision.Remedies) == 0 || decision.DryRun || decision.budget == unbounded || r.first.done(key) {
		return facts, decision, nil
	}
	if facts, err = r.observe(ctx, mhc, true); err != nil {
		return Facts{}, Decision{}, err
	}
	r.first.note(key)
	return facts, Decide(facts, r.Clock.Now()), nil
}

// tell stores the status and says what has changed. What can wait is left for later: see told.
func (r *Reconciler) tell(ctx context.Context, f Facts, d Decision) (later time.Duration, err error) {
	mhc, now := f.MachineHealthCheck, r.Clock.Now()
	key := client.ObjectKeyFromObject(mhc)
	desired := desiredStatus(f, d, metav1.NewTime(now.Truncate(time.Second)))
	measure(f, d)
	if status.SameMachineHealthCheck(mhc.Status, desired, func(t string) bool { return ours(mhc, t) }) {
		return 0, nil
	}
	if later = r.told.wait(key, len(f.Targets), now); later > 0 && !urgent(mhc, desired) {
		return later, nil
	}
	if err := status.ApplyMachineHealthCheck(ctx, r.Client, FieldOwner, mhc, desired); err != nil {
		return 0, client.IgnoreNotFound(err)
	}
	r.told.note(key, now)
	r.written.Note(mhc)
	r.announce(ctx, mhc, desired)
	return 0, nil
}

// requeueAfter is the earliest of all that asks for another look; zero means never.
func (r *Reconciler) requeueAfter(d Decision, again time.Duration) time.Duration {
	wait := r.SyncPeriod
	if !d.RecheckAt.IsZero() {
		wait = sooner(wait, max(d.RecheckAt.Sub(r.Clock.Now()), time.Millisecond))
	}
	return sooner(wait, again)
}

// sooner returns the shorter of two waits, where zero stands for "never".
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || (b != 0 && b < a) {
		return b
	}
	return a
}

// AddToManager registers the controller and its watches.
func (r *Reconciler) AddToManager(mgr ctrl.Manager) error {
	if r.Client == nil {
		r.Client = mgr.GetClient()
	}
	if r.Live == nil {
		r.Live = mgr.GetAPIReader()
	}
	if r.Clock == nil {
		r.Clock = clock.RealClock{}
	}
	if r.Recorder == nil {
		r.Recorder = mgr.GetEventRecorder(ControllerName)
	}
	if r.Selectors == nil {
		r.Selectors = &targets.Selectors{}
	}
	if r.Remedies == nil {
		r.Remedies = remedy.NewCabinet(r.Client, r.Live, r.Clock)
	}
	return r.addController(mgr)
}
