// Package reboot power-cycles the host of a bare-metal machine: it switches the host off and proves that it is off, takes the Node out
// of service, switches the host on, and puts back what the Node had.
//
// A RebootRemediation that a MachineRemediation has made is one power cycle, for one of its attempts; only its status remembers the cycle. This
// package does not know why, or what follows. All other RebootRemediations ask for a MachineRemediation, and are no concern of this package.
//
// The package cycle decides what comes next, and is pure. Each of its decisions is one write: it either updates the status or does one
// thing in the world. Here, the reader reads the facts for a decision, and the writer carries it out.
package reboot

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"k8s.io/utils/keymutex"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// ControllerName names the controllers in the list of controllers. Each kind of Machine has its own.
const ControllerName = "reboot"

// ClusterAPIKind and OpenShiftKind are the kinds of Machine whose hosts Sickbay cycles; HostKind is the kind of the hosts.
var (
	ClusterAPIKind = clusterv1.GroupVersion.WithKind("Machine")
	OpenShiftKind  = machinev1.GroupVersion.WithKind("Machine")
	HostKind       = metal3v1.GroupVersion.WithKind("BareMetalHost")
)

// maxTurns bounds the writes of one Reconcile; a cycle needs far fewer.
const maxTurns = 50

// The Nodes of OpenShift's Machines are in the management cluster. The permission to delete them has its own role, so that
// only installations for OpenShift get it.
//
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;patch;delete,roleName=openshift
// +kubebuilder:rbac:groups="",resources=pods,verbs=list,roleName=openshift
// +kubebuilder:rbac:groups=storage.k8s.io,resources=volumeattachments,verbs=list,roleName=openshift
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediations,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediations/status,verbs=update
// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediations,verbs=list
// +kubebuilder:rbac:groups=metal3.io,resources=baremetalhosts,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters,verbs=get;list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machinedeployments;machinepools;machinesets,verbs=get
// +kubebuilder:rbac:groups=machine.openshift.io,resources=machinesets,verbs=get
// +kubebuilder:rbac:groups=controlplane.cluster.x-k8s.io,resources=*,verbs=get
// +kubebuilder:rbac:groups=machine.openshift.io,resources=machines,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=infrastructure.cluster.x-k8s.io,resources=metal3machines,verbs=get
// +kubebuilder:rbac:groups="",resources=secrets,verbs=list;watch

// Reconciler cycles the hosts of Machines of one kind. AddToManager fills the fields that are nil.
type Reconciler struct {
	// Kind is the kind of the Machines: ClusterAPIKind or OpenShiftKind.
	Kind   schema.GroupVersionKind
	Client client.Client
	// Live reads past the cache.
	Live   client.Reader
	Mapper meta.RESTMapper
	// Workload reads and writes the Nodes.
	Workload workload.Writer
	// Clusters are the connections to workload clusters, for watching their Nodes. Without them, the controller polls the
	// Node while a cycle waits for it.
	Clusters *workload.Clusters
	Recorder events.EventRecorder
	Clock    clock.PassiveClock
	// WatchFilter, if set, is the value that the label cluster.x-k8s.io/watch-filter must have.
	WatchFilter string
	// Drain has it give up Nodes that do not come back.
	Drain bool
	// SyncPeriod is when to look again without an event.
	SyncPeriod  time.Duration
	Concurrency int

	// memory has since when a cycle's key was seen on its host. Steps that failed are retried, but reported only once per cause.
	memory controllerstate.Memory[keySeen]
	// watchNodes makes events of a cluster's Nodes wake the controller; nil if there are no Clusters.
	watchNodes func(ctx context.Context, cluster client.ObjectKey) error
	// locks has one for each control plane, and for each other machine, so that its cycles begin one at a time; beginning makes it.
	locks     keymutex.KeyMutex
	beginning sync.Once
	// places keep workers free for other clusters while a workload cluster hangs.
	places  workload.Places
	volumes volumes
}

// Reconcile takes one RebootRemediation as far as possible: it observes, decides, acts, and repeats.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	request, err := r.reads().request(ctx, req.NamespacedName)
	if err != nil {
		return ctrl.Result{}, err
	}
	if request == nil {
		r.memory.Forget(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	if !r.isMine(request) {
		return ctrl.Result{}, nil
	}
	if wait := r.memory.Wait(request, r.Clock.Now()); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	result, err := r.carryOut(ctx, request.DeepCopy())
	if apierrors.IsConflict(err) || errors.Is(err, remedy.ErrChanged) {
		return ctrl.Result{RequeueAfter: r.memory.Conflict(req.NamespacedName)}, nil
	}
	r.memory.NoConflict(req.NamespacedName)
	return result, err
}

// carryOut takes a power cycle as far as possible. It fails with a conflict or ErrChanged if something has changed since it was read.
func (r *Reconciler) carryOut(ctx context.Context, request *v1alpha1.RebootRemediation) (ctrl.Result, error) {
	place := &clusterPlace{places: &r.places}
	defer place.giveUp()
	for range maxTurns {
		v, decision, err := r.turn(ctx, request, place)
		switch {
		case errors.Is(err, workload.ErrNoPlace):
			return ctrl.Result{RequeueAfter: busyRetry}, nil
		case err != nil:
			return ctrl.Result{}, err
		case !decision.Changed && decision.Action == cycle.Nothing:
			return ctrl.Result{RequeueAfter: r.requeueAfter(ctx, v, decision)}, nil
		case decision.Action == cycle.RemoveFinalizer, decision.Action == cycle.RemoveNodeFinalizer:
			// The event of this write brings up the rest.
			return ctrl.Result{}, nil
		}
	}
	return ctrl.Result{}, fmt.Errorf("RebootRemediation %s did not settle", client.ObjectKeyFromObject(request))
}

// turn observes once, and does one thing.
func (r *Reconciler) turn(ctx context.Context, request *v1alpha1.RebootRemediation, place *clusterPlace) (observed, cycle.Decision, error) {
	v, err := r.reads().observe(ctx, request, place)
	r.report(request, append(v.outcomes, outcome{observing, err})...)
	if err != nil {
		return v, cycle.Decision{}, err
	}
	decision := cycle.Decide(v.facts, r.Clock.Now())
	if cycle.Begins(&v.facts, decision) {
		release, err := r.reserve(ctx, &v)
		if err != nil {
			return v, cycle.Decision{}, err
		}
		defer release()
		decision = cycle.Decide(v.facts, r.Clock.Now())
	}
	if decision.Changed {
		return v, decision, r.store(ctx, request, decision.Status)
	}
	if decision.Action == cycle.Nothing {
		return v, decision, nil
	}
	return v, decision, r.act(ctx, v, decision)
}

// store writes the status, and announces what has changed in it.
func (r *Reconciler) store(ctx context.Context, request *v1alpha1.RebootRemediation, status v1alpha1.RebootRemediationStatus) error {
	before := request.Status
	request.Status = status
	if err := r.writes().storeStatus(ctx, request); err != nil {
		return err
	}
	r.memory.Expect(request)
	measure(before, status)
	r.announce(ctx, request, before)
	return nil
}

// act carries out a decision, and reports whether that has failed.
func (r *Reconciler) act(ctx context.Context, v observed, d cycle.Decision) error {
	if d.Action == cycle.RemoveNodeFinalizer {
		r.announceNodeGivenUp(v)
	}
	err := r.writes().do(ctx, v, d)
	r.report(v.request, outcome{d.Action, err})
	if err != nil {
		return err
	}
	ctrl.LoggerFrom(ctx).Info("Action carried out", "action", d.Action, "phase", v.request.Status.Phase)
	r.memory.Expect(v.request)
	return nil
}
