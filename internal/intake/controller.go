// Package intake makes records of what others ask for, and tells them what becomes of it: annotations on a Machine, RebootRemediations that a
// person or the health check of another controller has made, and the annotation of OpenShift's health check. A record is the only way to a power
// cycle; package remediation carries it out, and package reboot cycles the host.
//
// It looks at one Machine at a time, so no two requests of a Machine become records side by side. ask decides, the reader reads, and
// the writer writes.
package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// ControllerName names the controller in logs, metrics and events.
const ControllerName = "intake"

// FieldOwner is the field manager of its writes.
const FieldOwner = "sickbay-intake"

// Namespace is the namespace of OpenShift's Machines and of its bare-metal provider's Lease.
const Namespace = "openshift-machine-api"

// ClusterAPIKind is the kind of Cluster API's Machines.
var ClusterAPIKind = clusterv1.GroupVersion.WithKind("Machine")

// maxTurns bounds the writes of one Reconcile.
const maxTurns = 20

// retry is how long to wait before looking again at what has changed since it was read.
const retry = time.Second

// The Lease belongs to OpenShift's own bare-metal provider, which must not run beside this controller.
//
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,resourceNames=controller-leader-election-capbm,verbs=get
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get,roleName=openshift
// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediations,verbs=get;list;watch;create
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediations,verbs=get;list;watch
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediations/status,verbs=update
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters,verbs=get;list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines/status,verbs=patch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machinesets,verbs=get
// +kubebuilder:rbac:groups=controlplane.cluster.x-k8s.io,resources=*,verbs=get
// +kubebuilder:rbac:groups=machine.openshift.io,resources=machines,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=machine.openshift.io,resources=machinesets,verbs=get
// +kubebuilder:rbac:groups=machine.openshift.io,resources=machinehealthchecks,verbs=list

// Reconciler takes in what is asked for about Machines of one kind. AddToManager fills the fields that are nil.
type Reconciler struct {
	// Kind is the kind of the Machines: that of Cluster API or of OpenShift.
	Kind   schema.GroupVersionKind
	Client client.Client
	// Live reads past the cache.
	Live     client.Reader
	Recorder events.EventRecorder
	Clock    clock.PassiveClock
	// External has it carry out what OpenShift's health check asks for by an annotation.
	External bool
	// WatchFilter, if set, is the value that the label cluster.x-k8s.io/watch-filter must have.
	WatchFilter string
	// Drain has it hand everything back, and take nothing in.
	Drain       bool
	Concurrency int

	// refused is what was refused last, so that it is said once.
	refused controllerstate.Memory[string]
}

// Reconcile looks at what is asked for about one Machine.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	concerned, err := r.reads().concerned(ctx, req.NamespacedName)
	if err != nil || !concerned {
		r.refused.Forget(req.NamespacedName)
		measure(req.NamespacedName, false)
		return ctrl.Result{}, err
	}
	after, err := r.takeIn(ctx, req.NamespacedName)
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || errors.Is(err, remedy.ErrChanged) {
		return ctrl.Result{RequeueAfter: retry}, nil
	}
	return ctrl.Result{RequeueAfter: after}, err
}

// takeIn observes, decides and acts, until nothing is left to do. It returns when to look again; zero means never.
func (r *Reconciler) takeIn(ctx context.Context, key client.ObjectKey) (time.Duration, error) {
	forbidden := ""
	for range maxTurns {
		v, err := r.reads().observe(ctx, key)
		if err != nil {
			return 0, err
		}
		v.facts.Forbidden = forbidden
		d := ask.Decide(v.facts, r.Clock.Now())
		measure(key, d.Unsolved)
		if d.Act == ask.Nothing {
			return scaffold.RequeueAfter(d.RecheckAt, r.Clock.Now(), 0), r.writes().showProgress(ctx, v)
		}
		err = r.writes().do(ctx, v, d, r.Clock.Now())
		if d.Act == ask.Make && apierrors.IsForbidden(err) {
			// Who asks is told.
			forbidden = ownwrites.Note(ownwrites.Cause(err))
			continue
		}
		if err != nil {
			return 0, err
		}
		r.announce(v.machine, d)
		if d.Act == ask.Refuse {
			return scaffold.RequeueAfter(d.RecheckAt, r.Clock.Now(), 0), r.writes().showProgress(ctx, v)
		}
		ctrl.LoggerFrom(ctx).Info("Taken in", "act", d.Act, "message", d.Message)
	}
	return 0, fmt.Errorf("what is asked for about machine %s did not settle", key)
}
