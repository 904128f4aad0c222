// Package remediation carries repairs out. It takes each MachineRemediation from its admission until its machine is healthy or
// gone.
//
// Three packages answer three questions. machinehealth says whether a machine is sick, machinehealthcheck says whether it may be
// repaired now, and this package says what the next step is: ladder decides, the Reader reads, the writer writes. Nothing else writes
// the status of a record, or the mark for the owner of a Machine. The annotations about power cycles have more writers: intake answers
// them, and reboot removes those that are done.
//
// The same Reconciler also runs as remediation-openshift, for the Machines of OpenShift. A third controller, remediation-plans, says of each
// MachineRemediationTemplate whether its plan can be used.
//
// Decisions are made on the caches. One that acts on a machine, or ends an attempt, is made again on live reads first.
package remediation

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/repair/retention"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/tracing"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// ControllerName names the controller in logs, metrics and events.
const ControllerName = "remediation"

// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediations,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediations/status,verbs=update
// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediationtemplates,verbs=get;list;watch
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediations,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediationtemplates,verbs=get
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters;machinehealthchecks,verbs=get;list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines/status,verbs=patch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machinedeployments;machinepools;machinesets,verbs=get
// +kubebuilder:rbac:groups=controlplane.cluster.x-k8s.io,resources=*,verbs=get
// +kubebuilder:rbac:groups=machine.openshift.io,resources=machines,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=machine.openshift.io,resources=machinehealthchecks,verbs=list
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get,roleName=openshift
// +kubebuilder:rbac:groups=metal3.io,resources=baremetalhosts,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=list;watch

// Reconciler carries out MachineRemediations. AddToManager fills the fields that are nil.
type Reconciler struct {
	Reader
	// Client writes.
	Client   client.Client
	Recorder events.EventRecorder
	// SyncPeriod is the fallback for missed events.
	SyncPeriod  time.Duration
	Concurrency int
	// History says how much to keep of ended records. The zero value means the defaults.
	History retention.Limits
	// Tracer traces each act. It may be nil.
	Tracer *tracing.Tracer

	// memory has the writes that the cache does not show yet, and since when the sweep of a record has failed. A restart only makes it retry longer.
	memory controllerstate.Memory[time.Time]
	passes passes
	queue  queue
	putOff putOffs
}

func (r *Reconciler) writes() writer { return writer{r.Client} }

// errStale says that an observation is out of date.
var errStale = errors.New("it has changed since it was read")

// Reconcile takes one record as far as it gets.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	record, err := scaffold.Find(ctx, r.Cache, req.NamespacedName, &v1alpha1.MachineRemediation{})
	if err != nil {
		return ctrl.Result{}, err
	}
	if record == nil {
		r.memory.Forget(req.NamespacedName)
		r.putOff.of.Delete(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	if ofOpenShift(record) != r.OpenShift {
		return ctrl.Result{}, nil
	}
	if foreign, err := r.foreign(ctx, record); foreign || err != nil {
		return ctrl.Result{}, err
	}
	initAttemptCounters(record)
	if wait := r.memory.Wait(record, r.Clock.Now()); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	after, err := r.proceed(ctx, record)
	if errors.Is(err, errStale) {
		return ctrl.Result{RequeueAfter: r.memory.Conflict(req.NamespacedName)}, nil
	}
	r.memory.NoConflict(req.NamespacedName)
	switch {
	case errors.Is(err, errPutOff):
		return ctrl.Result{RequeueAfter: time.Nanosecond}, nil
	case errors.Is(err, workload.ErrBusy):
		return ctrl.Result{RequeueAfter: workload.Soon()}, nil
	}
	return ctrl.Result{RequeueAfter: after}, err
}

// proceed stores what was put off, and goes on from there.
func (r *Reconciler) proceed(ctx context.Context, record *v1alpha1.MachineRemediation) (time.Duration, error) {
	if err := r.storePutOff(ctx, record); err != nil {
		return 0, err
	}
	return r.carryOut(ctx, record)
}
