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
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/recall"
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
	// SyncPeriod is when to look again without an event.
	SyncPeriod  time.Duration
	Concurrency int

	expectations recall.Expectations
	conflicts    recall.Backoff
	keys         keysSeen
	// failures are the steps that failed. Each is retried, but reported only once per cause.
	failures recall.Failures[cycle.Action]
	// watchNodes makes events of a cluster's Nodes wake the controller; nil if there are no Clusters.
	watchNodes func(ctx context.Context, cluster client.ObjectKey) error
	// beginning has a lock for each control plane, and for each other machine, so that its cycles begin one at a time.
	beginning keyedLocks
	// places keep workers free for other clusters while a workload cluster hangs.
	places  workload.Places
	volumes volumes
}

// Reconcile takes one RebootRemediation as far as possible: it observes, decides, acts, and repeats.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	request := &v1alpha1.RebootRemediation{}
	if err := r.Client.Get(ctx, req.NamespacedName, request); err != nil {
		if apierrors.IsNotFound(err) {
			r.expectations.Forget(req.NamespacedName)
			r.conflicts.Reset(req.NamespacedName)
			r.failures.Forget(req.NamespacedName)
			r.keys.Forget(req.NamespacedName)
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, fmt.Errorf("getting RebootRemediation %s: %w", req.NamespacedName, err)
	}
	if !r.isMine(request) {
		return ctrl.Result{}, nil
	}
	if wait := r.expectations.Wait(request, r.Clock.Now()); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	result, err := r.carryOut(ctx, request.DeepCopy())
	if apierrors.IsConflict(err) || errors.Is(err, remedy.ErrChanged) {
		return ctrl.Result{RequeueAfter: r.conflicts.Next(req.NamespacedName)}, nil
	}
	r.conflicts.Reset(req.NamespacedName)
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
			return ctrl.Result{RequeueAfter: r.requeueAfter(ctx, request, v, decision)}, nil
		case decision.Action == cycle.RemoveFinalizer, decision.Action == cycle.RemoveNodeFinalizer:
			// The event of this write brings up the rest.
			return ctrl.Result{}, nil
		}
	}
	return ctrl.Result{}, fmt.Errorf("RebootRemediation %s did not settle", client.ObjectKeyFromObject(request))
}

// isMine reports whether a RebootRemediation is a cycle of this Reconciler's kind of Machine, and of its manager.
func (r *Reconciler) isMine(request *v1alpha1.RebootRemediation) bool {
	return IsCycle(request) && referenceOf(request).APIGroup == r.Kind.Group && !r.foreign(request)
}

// foreign reports whether another manager looks after a cycle: that whose label its record has. A cycle that has begun and has no label is
// everybody's: the manager was given a filter later, and none without a filter runs beside it.
func (r *Reconciler) foreign(request *v1alpha1.RebootRemediation) bool {
	label := request.Labels[clusterv1.WatchLabel]
	return r.WatchFilter != "" && label != r.WatchFilter && (label != "" || !begun(request))
}

// begun reports whether a RebootRemediation needs attention: it has finalizers, and has a host or was deleted.
func begun(request *v1alpha1.RebootRemediation) bool {
	kept := controllerutil.ContainsFinalizer(request, cycle.Finalizer) || controllerutil.ContainsFinalizer(request, cycle.NodeFinalizer)
	return kept && (request.Status.Host != nil || !request.DeletionTimestamp.IsZero())
}

// turn observes once, and does one thing.
func (r *Reconciler) turn(ctx context.Context, request *v1alpha1.RebootRemediation, place *clusterPlace) (view, cycle.Decision, error) {
	v, err := r.observe(ctx, request, place)
	if err != nil {
		r.reportFailure(request, observing, err)
		return view{}, cycle.Decision{}, err
	}
	r.failures.Succeed(client.ObjectKeyFromObject(request), observing)
	decision := cycle.Decide(v.facts, r.Clock.Now())
	if cycle.Begins(&v.facts, decision) {
		release, err := r.reserve(ctx, request, &v)
		if err != nil {
			return view{}, cycle.Decision{}, err
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
	if err := r.act(ctx, request, v, decision); err != nil {
		r.reportFailure(request, decision.Action, err)
		return v, decision, err
	}
	ctrl.LoggerFrom(ctx).Info("Action carried out", "action", decision.Action, "phase", request.Status.Phase)
	r.expectations.Expect(request)
	return v, decision, nil
}

// keyedLocks has one lock for each key that somebody locks. The zero value is ready to use.
type keyedLocks struct {
	mu sync.Mutex
	of map[client.ObjectKey]*keyedLock
}

type keyedLock struct {
	sync.Mutex
	// users counts who holds the lock or waits for it.
	users int
}

// lock waits for the lock of a key, and returns what releases it.
func (l *keyedLocks) lock(key client.ObjectKey) (release func()) {
	l.mu.Lock()
	if l.of == nil {
		l.of = map[client.ObjectKey]*keyedLock{}
	}
	one := l.of[key]
	if one == nil {
		one = &keyedLock{}
		l.of[key] = one
	}
	one.users++
	l.mu.Unlock()
	one.Lock()
	return func() {
		one.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(l.of, key)
		}
	}
}
