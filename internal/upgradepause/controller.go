package upgradepause

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/jitter"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// ControllerName is the name in the list of controllers. Each kind of MachineHealthCheck has its own controller.
const ControllerName = "upgradepause"

// betweenPauses is how long to wait before a pause that was lost without a trace is written again.
const betweenPauses = time.Minute

// The kinds of MachineHealthCheck that Sickbay pauses.
var (
	ClusterAPIKind = clusterv1.GroupVersion.WithKind("MachineHealthCheck")
	OpenShiftKind  = schema.GroupVersionKind{Group: "machine.openshift.io", Version: "v1beta1", Kind: "MachineHealthCheck"}
)

// On OpenShift, the Nodes of Machines are in the management cluster.
//
// +kubebuilder:rbac:groups="",resources=nodes,verbs=list;watch,roleName=openshift
// +kubebuilder:rbac:groups=config.openshift.io,resources=clusterversions,verbs=list;watch
// +kubebuilder:rbac:groups=machineconfiguration.openshift.io,resources=machineconfigpools,verbs=list;watch
// +kubebuilder:rbac:groups=machine.openshift.io,resources=machinehealthchecks,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=machine.openshift.io,resources=machines,verbs=list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machinehealthchecks,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters;machinedeployments;machines,verbs=list;watch
// +kubebuilder:rbac:groups=controlplane.cluster.x-k8s.io,resources=*,verbs=list;watch

// Reconciler pauses and resumes the MachineHealthChecks of one kind. AddToManager sets defaults for nil fields.
type Reconciler struct {
	// Kind is ClusterAPIKind or OpenShiftKind.
	Kind schema.GroupVersionKind
	// Signals report the upgrades in progress. AddToManager sets them: OpenShift's ClusterVersion, once its kind is installed; for ClusterAPIKind, Clusters;
	// for OpenShiftKind, MachineConfigPools, once their kind is installed.
	Signals []Signal
	// ClusterVersion and MachineConfigPools report when these OpenShift kinds are installed; nil means never.
	ClusterVersion, MachineConfigPools *Installed
	// Namespace is what the manager is restricted to; empty means all.
	Namespace string
	// WatchFilter, if set, is the value that the label cluster.x-k8s.io/watch-filter must have.
	WatchFilter string
	// Drain ends all pauses, and makes none.
	Drain bool
	// WarnAfter is how long a pause may last before a warning.
	WarnAfter time.Duration
	// SettleTimeout is how long Nodes may take to become Ready after an upgrade if another controller manages the machines; zero means no wait.
	SettleTimeout time.Duration
	// Ours reports whether Sickbay itself manages the machines of a MachineHealthCheck, so that their clocks restart when it is resumed. Nil means
	// never.
	Ours func(check *metav1.PartialObjectMetadata) bool
	// Readiness reports which machines are not back after an upgrade. AddToManager sets it: it reads Machines and, on OpenShift, Nodes.
	Readiness Readiness
	Recorder  events.EventRecorder
	Clock     clock.PassiveClock
	// SyncPeriod is how often to look again without an event.
	SyncPeriod  time.Duration
	Concurrency int

	reader reader
	writer writer
	// unreadable are the signals that cannot be read, by kind, so that each is reported once.
	unreadable controllerstate.Memory[struct{}]
}

// Reconcile handles one MachineHealthCheck: observe, decide, act.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	check, err := r.reader.check(ctx, req.NamespacedName)
	if err != nil {
		return ctrl.Result{}, err
	}
	if check == nil || r.foreign(check) {
		r.forget(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	if wait := r.writer.memory.Wait(check, r.Clock.Now()); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	facts, now := r.observe(ctx, check), r.Clock.Now()
	decision := pause.Decide(facts, now)
	if wait := r.lost(check, decision, now); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	err = r.writer.annotate(ctx, check, decision.Changes)
	if apierrors.IsConflict(err) {
		// The cache is behind.
		return ctrl.Result{RequeueAfter: r.writer.memory.Conflict(req.NamespacedName)}, nil
	}
	r.writer.memory.NoConflict(req.NamespacedName)
	if err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	r.remember(req.NamespacedName, decision, now)
	measureCheck(r.Kind, req.NamespacedName, decision)
	r.announce(ctx, check, facts, decision, now)
	return ctrl.Result{RequeueAfter: scaffold.RequeueAfter(decision.RecheckAt, r.Clock.Now(), jitter.Within(r.SyncPeriod, check.UID))}, nil
}

// foreign reports whether a MachineHealthCheck is left to other managers. One that we paused and that has lost its label is not: all managers that
// would handle it have no filter, and none of those should run beside one with a filter.
func (r *Reconciler) foreign(check *metav1.PartialObjectMetadata) bool {
	label := check.Labels[clusterv1.WatchLabel]
	if r.WatchFilter == "" || label == r.WatchFilter {
		return false
	}
	return label != "" || !pause.Ours(check.Annotations)
}

// lost returns how long to wait before a pause is written that has just been written, but has left no trace: a program that replaces all
// annotations would remove it at once again, and so on, as fast as the API server allows.
func (r *Reconciler) lost(check *metav1.PartialObjectMetadata, d pause.Decision, now time.Time) time.Duration {
	if _, recorded := check.Annotations[pause.HandledAnnotation]; recorded || d.Transition != pause.Begin {
		return 0
	}
	return r.writer.memory.Paused(client.ObjectKeyFromObject(check), betweenPauses, now)
}

// remember remembers when a pause was written. What has ended was not lost.
func (r *Reconciler) remember(key client.ObjectKey, d pause.Decision, now time.Time) {
	switch {
	case d.Transition == pause.Begin:
		r.writer.memory.BeginPause(key, now)
	case !d.Paused:
		r.writer.memory.EndPause(key)
	}
}

// forget drops the state of a MachineHealthCheck that is gone or not ours.
func (r *Reconciler) forget(key client.ObjectKey) {
	forgetCheck(r.Kind, key)
	r.writer.memory.Forget(key)
}

// name returns the name of the controller in logs and metrics.
func (r *Reconciler) name() string {
	if r.Kind == OpenShiftKind {
		return ControllerName + "-openshift"
	}
	return ControllerName
}
