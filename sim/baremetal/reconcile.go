package baremetal

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// worthALook ignores the operator's own writes to the status.
var worthALook = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() ||
		!maps.Equal(e.ObjectOld.GetAnnotations(), e.ObjectNew.GetAnnotations()) ||
		!slices.Equal(e.ObjectOld.GetFinalizers(), e.ObjectNew.GetFinalizers())
}}

type reconciler struct {
	client client.Client
	// live reads without a cache. On a machine that reboots in no time, a key that is gone but still cached
	// would cause a second reboot.
	live     client.Reader
	operator *Operator
}

// visit is one reconcile of one host.
type visit struct {
	*reconciler
	// host is the object as read; its status is written at the end if outcome.save is set.
	host *metal3api.BareMetalHost
	// machine is the machine behind the host, with its BMC.
	machine *Host
}

// outcome is the result of a visit.
type outcome struct {
	// save says to write the status.
	save bool
	// again is when to look again. Zero means at once, or, with idle, at the next event.
	again time.Duration
	idle  bool
}

// atOnce is the smallest positive delay.
const atOnce = time.Nanosecond

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	host := &metal3api.BareMetalHost{}
	if err := r.live.Get(ctx, req.NamespacedName, host); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if _, paused := host.Annotations[metal3api.PausedAnnotation]; paused {
		return ctrl.Result{}, nil
	}
	if host.DeletionTimestamp.IsZero() && controllerutil.AddFinalizer(host, metal3api.BareMetalHostFinalizer) {
		return ctrl.Result{RequeueAfter: atOnce}, r.update(ctx, host)
	}
	v := &visit{reconciler: r, host: host, machine: r.operator.Host(req.NamespacedName)}
	result, err := v.pass(ctx)
	if err != nil || result.idle {
		return ctrl.Result{}, err
	}
	if v.setConditions() || result.save {
		if err := v.saveStatus(ctx); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{RequeueAfter: max(result.again, atOnce)}, nil
}

func (r *reconciler) update(ctx context.Context, host *metal3api.BareMetalHost) error {
	if err := r.client.Update(ctx, host); err != nil {
		return fmt.Errorf("updating host %s: %w", client.ObjectKeyFromObject(host), err)
	}
	return nil
}

func (v *visit) saveStatus(ctx context.Context) error {
	v.host.Status.LastUpdated = new(metav1.NewTime(v.machine.clock.Now()))
	if err := v.client.Status().Update(ctx, v.host); err != nil {
		return fmt.Errorf("updating the status of host %s: %w", client.ObjectKeyFromObject(v.host), err)
	}
	return nil
}

// fails stores an error in the status. The pause after it grows with each error.
func (v *visit) fails(kind metal3api.ErrorType, message string) outcome {
	status := &v.host.Status
	status.OperationalStatus, status.ErrorType, status.ErrorMessage = metal3api.OperationalStatusError, kind, message
	status.ErrorCount++
	units := math.Exp2(float64(min(status.ErrorCount, 9))) * (1 - rand.Float64()/2)
	return outcome{save: true, again: time.Duration(units * float64(v.machine.options.Backoff))}
}

// recovers clears the error in the status, and reports whether there was one. The error count stays:
// because of it, the operator stops trying soft power-offs.
func (v *visit) recovers() bool {
	return v.is(metal3api.OperationalStatusOK)
}

// is sets the operational status without an error, and reports whether that is new.
func (v *visit) is(operational metal3api.OperationalStatus) bool {
	status := &v.host.Status
	if status.OperationalStatus == operational && status.ErrorType == "" && status.ErrorMessage == "" {
		return false
	}
	status.OperationalStatus, status.ErrorType, status.ErrorMessage = operational, "", ""
	return true
}
