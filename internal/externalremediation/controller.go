package externalremediation

import (
	"context"
	"errors"
	"time"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// ControllerName names the controller in logs, metrics and events.
const ControllerName = "external-remediation"

// FieldOwner is the field manager of our writes to Machines and RebootRemediations.
const FieldOwner = "sickbay-external-remediation"

// Annotation is what OpenShift's health check sets on a sick Machine if its strategy is external-baremetal.
const Annotation = "host.metal3.io/external-remediation"

// Namespace is the namespace of OpenShift's Machines and of its bare-metal provider's Lease.
const Namespace = "openshift-machine-api"

// Kind is the kind of the Machines, and HealthCheckKind the kind of the health checks that annotate them.
var (
	Kind            = machinev1.GroupVersion.WithKind("Machine")
	HealthCheckKind = machinev1.GroupVersion.WithKind("MachineHealthCheck")
)

// The Lease belongs to OpenShift's own bare-metal provider, which must not run beside this controller.
//
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,resourceNames=controller-leader-election-capbm,verbs=get
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediations,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=machine.openshift.io,resources=machines,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=machine.openshift.io,resources=machinehealthchecks,verbs=list

// Reconciler handles the Machines with the annotation. AddToManager sets defaults for nil fields.
type Reconciler struct {
	Client client.Client
	// Live reads past the cache: Machines, Nodes and Leases of the cluster that OpenShift runs in.
	Live     client.Reader
	Recorder events.EventRecorder
	Clock    clock.PassiveClock
	// WatchFilter, if set, is the value that the label cluster.x-k8s.io/watch-filter of a Machine must have.
	WatchFilter string
	Concurrency int
}

// Reconcile handles one Machine.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	concerned, err := r.concerned(ctx, req.NamespacedName)
	if err != nil || !concerned {
		unsolved.DeleteLabelValues(req.Namespace, req.Name)
		return ctrl.Result{}, err
	}
	v, err := r.observe(ctx, req.NamespacedName)
	if errors.Is(err, errReplaced) {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if v.machine == nil {
		unsolved.DeleteLabelValues(req.Namespace, req.Name)
		return ctrl.Result{}, nil
	}
	d := Decide(v.facts, r.Clock.Now())
	if err := r.act(ctx, v, d); err != nil {
		if apierrors.IsConflict(err) {
			// It has changed since it was read, so decide again.
			return ctrl.Result{RequeueAfter: time.Second}, nil
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: scaffold.RequeueAfter(d.RecheckAt, r.Clock.Now(), 0)}, nil
}
