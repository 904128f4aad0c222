// Package remediation carries repairs out. It takes each MachineRemediation from its admission until its machine is healthy or
// gone.
//
// Three packages answer three questions. machinehealth says whether a machine is sick, machinehealthcheck says whether it may be
// repaired now, and this package says what the next step is: ladder decides, observe.go reads, act.go writes. Nothing else writes
// the status of a record, or what a record asks for on Machines.
//
// Decisions are made on the caches. One that acts on a machine, or ends an attempt, is made again on live reads first.
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
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/recall"
	"github.com/sickbay-dev/sickbay/internal/repair/retention"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/tracing"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// ControllerName names the controller in logs, metrics and events.
const ControllerName = "remediation"

// FieldOwner is the field manager of writes to records.
const FieldOwner = ownwrites.RemediationFieldOwner

// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediations,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediations/status,verbs=update
// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediationtemplates,verbs=get;list;watch
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediations,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediationtemplates,verbs=get
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters;machinehealthchecks,verbs=get;list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines/status,verbs=patch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machinesets,verbs=get
// +kubebuilder:rbac:groups=controlplane.cluster.x-k8s.io,resources=*,verbs=get
// +kubebuilder:rbac:groups=machine.openshift.io,resources=machines,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=machine.openshift.io,resources=machinehealthchecks,verbs=list
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get,roleName=openshift
// +kubebuilder:rbac:groups=metal3.io,resources=baremetalhosts,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=list;watch

// Gatekeeper says why a machine must not be repaired now, by the settings of its MachineHealthCheck. An empty string allows the repair.
type Gatekeeper interface {
	// GateClosed evaluates triggerIf. Its lower bound applies only to the first act of a record.
	GateClosed(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, first bool) (why string, err error)
	// OverBudget counts past the cache how many machines are in flight.
	OverBudget(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) (why string, err error)
	// Paced says which repairs have to succeed before this machine's gets a slot.
	Paced(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, machine *clusterv1.Machine) (why string, err error)
}

// Reconciler carries out MachineRemediations. AddToManager fills the fields that are nil.
type Reconciler struct {
	// OpenShift has it carry out the records of OpenShift's Machines instead of those of Cluster API: somebody asked for them, so there is no
	// Cluster, MachineHealthCheck or gate of Sickbay's, and Observer, Selectors and Gatekeeper are not used.
	OpenShift bool

	Client client.Client
	// Live reads past the cache.
	Live       client.Reader
	Observer   *machinehealth.Observer
	Selectors  *mhcspec.Selectors
	Policy     mhcspec.Policy
	Gatekeeper Gatekeeper
	Recorder   events.EventRecorder
	Clock      clock.PassiveClock
	// Namespace is what the manager is restricted to; empty means all.
	Namespace string
	// SyncPeriod is the fallback for missed events.
	SyncPeriod  time.Duration
	Concurrency int
	// History says how much to keep of ended records. The zero value means the defaults.
	History retention.Limits

	// Tracer traces each act. It may be nil.
	Tracer *tracing.Tracer

	// sideBySide makes one observation read in parallel. A manager sets it; a test that calls Reconcile may depend on the order of
	// the reads.
	sideBySide bool

	expectations recall.Expectations
	conflicts    recall.Backoff
	watches      scaffold.Watches
	nodes        workload.Places
	shared       sharedReads
	passes       passes
	// sweeps remembers since when the sweep of a record has failed. A restart only makes it retry longer.
	sweeps recall.ByObject[time.Time]
	rules  rules.Cache
}

// errStale says that an observation is out of date.
var errStale = errors.New("it has changed since it was read")

// busyRetry is how long to wait before looking again at a record if there was no place in its workload cluster.
const busyRetry = 100 * time.Millisecond

// Reconcile takes one record as far as it gets.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	record := &v1alpha1.MachineRemediation{}
	if err := r.Client.Get(ctx, req.NamespacedName, record); err != nil {
		if apierrors.IsNotFound(err) {
			r.expectations.Forget(req.NamespacedName)
			r.conflicts.Reset(req.NamespacedName)
			r.sweeps.Forget(req.NamespacedName)
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, fmt.Errorf("getting MachineRemediation %s: %w", req.NamespacedName, err)
	}
	if ofOpenShift(record) != r.OpenShift {
		return ctrl.Result{}, nil
	}
	if foreign, err := r.foreign(ctx, record); foreign || err != nil {
		return ctrl.Result{}, err
	}
	initAttemptCounters(record)
	if wait := r.expectations.Wait(record, r.Clock.Now()); wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, nil
	}
	after, err := r.carryOut(ctx, record)
	if errors.Is(err, errStale) {
		return ctrl.Result{RequeueAfter: r.conflicts.Next(req.NamespacedName)}, nil
	}
	r.conflicts.Reset(req.NamespacedName)
	switch {
	case errors.Is(err, workload.ErrNoPlace):
		return ctrl.Result{RequeueAfter: busyRetry}, nil
	case errors.Is(err, workload.ErrBusy):
		return ctrl.Result{RequeueAfter: workload.Soon()}, nil
	}
	return ctrl.Result{RequeueAfter: after}, err
}
