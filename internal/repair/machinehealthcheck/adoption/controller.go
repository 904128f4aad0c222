package adoption

import (
	"bytes"
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

const (
	// ControllerName names the controller in logs, metrics and events.
	ControllerName = "adoption"
	// FieldOwner owns the annotation where the label of a Cluster has set it: that is how it is known to be ours.
	FieldOwner = "sickbay-adoption"
	// NamespaceOwner does so where the label of a namespace has, which not each manager may read.
	NamespaceOwner = FieldOwner + "-by-namespace"
	// UpgradeOwner owns what is left to the pause of an upgrade.
	UpgradeOwner = FieldOwner + "-until-upgraded"
)

// Reasons of the events on MachineHealthChecks.
const (
	// EventAdopted says that a label has handed it over to Sickbay.
	EventAdopted = "Adopted"
	// EventGivenBack says that Cluster API's own controller has it again.
	EventGivenBack = "GivenBack"
)

// betweenHandOvers is how long to wait before the annotation is set again that somebody has taken away.
const betweenHandOvers = 5 * time.Second

// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters,verbs=list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machinehealthchecks,verbs=list;watch;patch
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=list;watch

// Reconciler hands MachineHealthChecks over to Sickbay, and gives them back to Cluster API.
type Reconciler struct {
	Client   client.Client
	Policy   mhcspec.Policy
	Recorder events.EventRecorder
	Clock    clock.PassiveClock
	// Namespace is the only one in which to look; empty means all. Then the labels of namespaces count, too, if they may be read.
	Namespace   string
	Concurrency int

	// memory has the pauses between two hand-overs.
	memory controllerstate.Memory[struct{}]
	// readsNamespaces reports whether the labels of namespaces count.
	readsNamespaces bool
}

// Reconcile handles one MachineHealthCheck.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	mhc, err := scaffold.Find(ctx, r.Client, req.NamespacedName, &clusterv1.MachineHealthCheck{})
	if err != nil {
		return ctrl.Result{}, err
	}
	if mhc == nil || !mhc.DeletionTimestamp.IsZero() || r.foreign(mhc) {
		r.memory.Forget(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	facts, err := reader{r.Client, r.Policy.Drain || r.filtered(mhc), r.readsNamespaces}.observe(ctx, mhc)
	if err != nil {
		return ctrl.Result{}, err
	}
	var wait time.Duration
	switch Decide(facts) {
	case HandOver:
		wait, err = r.handOver(ctx, mhc, facts)
	case GiveBack:
		r.memory.EndPause(req.NamespacedName)
		err = writer{r.Client, r.Recorder}.apply(ctx, mhc, Owner(mhc), map[string]any{}, EventGivenBack, "Given back to Cluster API's own controller: the label "+Label+" asks for Sickbay no longer")
	case LeaveToUpgrade:
		err = writer{r.Client, r.Recorder}.apply(ctx, mhc, UpgradeOwner, pausedBy(mhcspec.UpgradeValue), EventGivenBack, "Given back to Cluster API's own controller once its upgrade is over: the label "+Label+" asks for Sickbay no longer")
	case Nothing:
	}
	if apierrors.IsConflict(err) {
		// The cache is behind; not all that changes has an event here.
		return ctrl.Result{RequeueAfter: r.memory.Conflict(req.NamespacedName)}, nil
	}
	r.memory.NoConflict(req.NamespacedName)
	return ctrl.Result{RequeueAfter: wait}, client.IgnoreNotFound(err)
}

// handOver sets the annotation, or returns how long to wait with that: a program that replaces all annotations takes it away at once, again and again.
func (r *Reconciler) handOver(ctx context.Context, mhc *clusterv1.MachineHealthCheck, facts Facts) (time.Duration, error) {
	key, now := client.ObjectKeyFromObject(mhc), r.Clock.Now()
	if wait := r.memory.Paused(key, betweenHandOvers, now); wait > 0 {
		return wait, nil
	}
	owner := FieldOwner
	if facts.Cluster == "" {
		owner = NamespaceOwner
	}
	err := writer{r.Client, r.Recorder}.apply(ctx, mhc, owner, pausedBy(mhcspec.HandedOverValue), EventAdopted, "Handed over to Sickbay by the label "+Label)
	if err == nil {
		r.memory.BeginPause(key, now)
	}
	return 0, err
}

func pausedBy(value string) map[string]any {
	return map[string]any{"annotations": map[string]any{clusterv1.PausedAnnotation: value}}
}

// foreign reports whether another manager looks after a MachineHealthCheck. None does after one that we hand over and that has lost its label.
func (r *Reconciler) foreign(mhc *clusterv1.MachineHealthCheck) bool {
	return r.filtered(mhc) && (mhc.Labels[clusterv1.WatchLabel] != "" || Owner(mhc) == "")
}

// filtered reports whether a MachineHealthCheck does not have our label.
func (r *Reconciler) filtered(mhc *clusterv1.MachineHealthCheck) bool {
	return r.Policy.WatchFilter != "" && mhc.Labels[clusterv1.WatchLabel] != r.Policy.WatchFilter
}

// reader reads what is decided by.
type reader struct {
	client.Reader

	drains, readsNamespaces bool
}

func (r reader) observe(ctx context.Context, mhc *clusterv1.MachineHealthCheck) (Facts, error) {
	facts := Facts{
		Paused: mhcspec.HasAnnotation(mhc, clusterv1.PausedAnnotation), Ours: Owner(mhc) != "", Upgrading: mhcspec.HasAnnotation(mhc, mhcspec.UpgradeMarker),
		Drains: r.drains,
	}
	cluster, err := scaffold.Find(ctx, r, client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.ClusterName}, &clusterv1.Cluster{})
	if err != nil {
		return Facts{}, err
	}
	if cluster != nil {
		facts.Cluster = cluster.Labels[Label]
	}
	if !r.readsNamespaces {
		if Owner(mhc) == NamespaceOwner {
			// A manager that reads namespaces has seen the label, and takes the annotation away when it goes.
			facts.Namespace = "true"
		}
		return facts, nil
	}
	if facts.Cluster != "" {
		return facts, nil
	}
	namespace, err := scaffold.Find(ctx, r, client.ObjectKey{Name: mhc.Namespace}, scaffold.MetadataOf(namespaceKind))
	if err == nil && namespace != nil {
		facts.Namespace = namespace.Labels[Label]
	}
	return facts, err
}

// namespaceKind is read as metadata.
var namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")

// Owner returns which of our field owners owns the annotation of a MachineHealthCheck; empty if it is not ours. Setting another value takes it over.
func Owner(mhc metav1.Object) string {
	for _, entry := range mhc.GetManagedFields() {
		ours := entry.Manager == FieldOwner || entry.Manager == NamespaceOwner
		if ours && entry.FieldsV1 != nil && bytes.Contains(entry.FieldsV1.GetRawBytes(), []byte(clusterv1.PausedAnnotation)) {
			return entry.Manager
		}
	}
	return ""
}

// writer writes what was decided, and announces it.
type writer struct {
	client   client.Client
	recorder events.EventRecorder
}

// apply sets metadata of the MachineHealthCheck that was read, and removes what we had set before. By the resource version, nobody has set the
// annotation meanwhile; by force, as a program that applies an empty map owns the map.
func (w writer) apply(ctx context.Context, mhc *clusterv1.MachineHealthCheck, owner string, metadata map[string]any, reason, why string) error {
	obj := &unstructured.Unstructured{Object: map[string]any{"metadata": metadata}}
	obj.SetNamespace(mhc.Namespace)
	obj.SetName(mhc.Name)
	obj.SetUID(mhc.UID)
	obj.SetResourceVersion(mhc.ResourceVersion)
	obj.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("MachineHealthCheck"))
	if err := w.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(obj), client.FieldOwner(owner), client.ForceOwnership); err != nil {
		return fmt.Errorf("setting the annotation %s of MachineHealthCheck %s: %w", clusterv1.PausedAnnotation, client.ObjectKeyFromObject(mhc), err)
	}
	ctrl.LoggerFrom(ctx).Info("Adoption changed", "reason", reason)
	w.recorder.Eventf(mhc, nil, corev1.EventTypeNormal, reason, "Adopt", "%s", why)
	return nil
}
