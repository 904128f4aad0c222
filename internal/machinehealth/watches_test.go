package machinehealth

import (
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/cluster-api/util/secret"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// givenUp sets what Cluster API copies from a provider that gives up on its Machine.
//
//nolint:staticcheck // Cluster API says so nowhere else than in deprecated fields.
func givenUp(message string) build.MachineFunc {
	return func(m *clusterv1.Machine) {
		m.Status.Deprecated = &clusterv1.MachineDeprecatedStatus{V1Beta1: &clusterv1.MachineV1Beta1DeprecatedStatus{FailureMessage: &message}}
	}
}

// TestWhatWakesTheController and, just as important, what does not.
func TestWhatWakesTheController(t *testing.T) {
	machine := func(opts ...build.MachineOption) client.Object { return build.Machine("ns", "m", opts...) }
	cluster := func(opts ...build.ClusterOption) client.Object { return build.Cluster("ns", "c", opts...) }
	mhc := func(opts ...build.MachineHealthCheckOption) client.Object {
		return build.MachineHealthCheck("ns", "mhc", opts...)
	}
	now := build.Epoch
	ours := build.Condition("HealthCheckSucceeded", "False", "R", now)
	mark := build.Condition("OwnerRemediated", "False", "R", now)
	disk := build.Condition("Disk", "False", "R", now)
	machines, clusters, mhcs := relevantMachineChange(), relevantClusterChange(), RelevantCheckChange()
	hosts, failing := relevantHostChange(), func(h *metal3v1.BareMetalHost) {
		h.Status.ErrorType, h.Status.ErrorMessage = metal3v1.PowerManagementError, "off"
	}
	host := func(change func(*metal3v1.BareMetalHost)) client.Object {
		h := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "h"}}
		if change != nil {
			change(h)
		}
		return h
	}
	tests := map[string]struct {
		predicate     predicate.Predicate
		before, after client.Object
		want          bool
	}{
		"Machine: nothing":                     {machines, machine(), machine(), false},
		"Machine: label":                       {machines, machine(), machine(build.Label("l", "1")), true},
		"Machine: annotation":                  {machines, machine(), machine(build.Annotation("a", "1")), true},
		"Machine: deletion":                    {machines, machine(), machine(build.Deleting(now)), true},
		"Machine: generation":                  {machines, machine(), machine(build.Generation(2)), true},
		"Machine: nodeRef":                     {machines, machine(), machine(build.NodeRef("n")), true},
		"Machine: phase":                       {machines, machine(), machine(build.InPhase("Failed", now)), true},
		"Machine: its provider gives it up":    {machines, machine(), machine(givenUp("gone")), true},
		"Machine: given up, another attempt":   {machines, machine(givenUp("attempt 1")), machine(givenUp("attempt 2")), false},
		"MachineHealthCheck: paused":           {mhcs, mhc(pausedSince("False", 0)), mhc(pausedSince("True", 1)), false},
		"MachineHealthCheck: resumed":          {mhcs, mhc(pausedSince("True", 1)), mhc(pausedSince("False", 2)), true},
		"MachineHealthCheck: an unseen pause":  {mhcs, mhc(pausedSince("False", 0)), mhc(pausedSince("False", 2)), true},
		"MachineHealthCheck: its first status": {mhcs, mhc(), mhc(pausedSince("False", 0)), false},
		"Host: hardware":                       {hosts, host(nil), host(func(h *metal3v1.BareMetalHost) { h.Status.PoweredOn = true }), false},
		"Host: an error":                       {hosts, host(nil), host(failing), true},
		"Host: another error":                  {hosts, host(failing), host(func(h *metal3v1.BareMetalHost) { failing(h); h.Status.ErrorMessage = "no" }), true},
		"Host: the same error once more":       {hosts, host(failing), host(func(h *metal3v1.BareMetalHost) { failing(h); h.Status.ErrorCount = 7 }), false},
		"Host: paused": {hosts, host(failing), host(func(h *metal3v1.BareMetalHost) {
			failing(h)
			h.Annotations = map[string]string{metal3v1.PausedAnnotation: ""}
		}), true},
		"Host: used":                             {hosts, host(nil), host(func(h *metal3v1.BareMetalHost) { h.Spec.ConsumerRef = &corev1.ObjectReference{Name: "m"} }), true},
		"Machine: condition appears":             {machines, machine(), machine(disk), true},
		"Machine: condition goes":                {machines, machine(disk), machine(), true},
		"Machine: condition, new transition":     {machines, machine(disk), machine(build.Condition("Disk", "False", "R", now.Add(-time.Second))), true},
		"Machine: condition, another message":    {machines, machine(disk), machine(disk.WithMessage("m")), false},
		"Machine: our own verdict is False":      {machines, machine(), machine(ours), false},
		"Machine: the mark for the owner":        {machines, machine(ours), machine(ours, mark), false},
		"Machine: our verdict was taken away":    {machines, machine(ours), machine(), true},
		"Machine: our verdict was made True":     {machines, machine(ours), machine(build.Condition("HealthCheckSucceeded", "True", "R", now)), true},
		"Cluster: nothing":                       {clusters, cluster(), cluster(), false},
		"Cluster: label":                         {clusters, cluster(), cluster(build.Label("l", "1")), false},
		"Cluster: paused":                        {clusters, cluster(), cluster(build.Paused()), true},
		"Cluster: unpaused":                      {clusters, cluster(build.Paused()), cluster(), true},
		"Cluster: control plane initialized":     {clusters, cluster(build.ControlPlaneNotInitialized()), cluster(), true},
		"Cluster: infrastructure ready":          {clusters, cluster(build.InfrastructureNotReady()), cluster(), true},
		"Cluster: infrastructure not ready":      {clusters, cluster(), cluster(build.InfrastructureNotReady()), true},
		"Cluster: another condition":             {clusters, cluster(), cluster(disk), false},
		"MachineHealthCheck: nothing":            {mhcs, mhc(), mhc(), false},
		"MachineHealthCheck: status":             {mhcs, mhc(), mhc(disk), false},
		"MachineHealthCheck: generation":         {mhcs, mhc(), mhc(build.Generation(2)), true},
		"MachineHealthCheck: paused, resumed-at": {mhcs, mhc(), mhc(build.Annotation("a", "1")), true},
		"MachineHealthCheck: watch-filter":       {mhcs, mhc(), mhc(build.Label("l", "1")), true},
		"MachineHealthCheck: is being deleted":   {mhcs, mhc(), mhc(build.Deleting(now)), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.predicate.Update(event.UpdateEvent{ObjectOld: tt.before, ObjectNew: tt.after}); got != tt.want {
				t.Errorf("the update passes: %t, want %t", got, tt.want)
			}
			if !tt.predicate.Create(event.CreateEvent{Object: tt.after}) || !tt.predicate.Delete(event.DeleteEvent{Object: tt.after}) {
				t.Error("creation and deletion have to pass")
			}
		})
	}
}

// TestKubeconfigMapping: a kubeconfig wakes the machines of its cluster if the cluster cannot be read, because their verdicts mention it.
// Other machines sleep on, because credentials are renewed all the time.
func TestKubeconfigMapping(t *testing.T) {
	f := newHarness(t)
	f.Clusters = &workload.Clusters{Cache: clustercache.NewFakeEmptyClusterCache(), Secrets: f.env.Client, Clock: f.clock}
	woken := func(name string) []ctrl.Request {
		return f.machinesOfKubeconfig(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: f.cluster.Namespace, Name: name}})
	}
	name := secret.Name(f.cluster.Name, secret.Kubeconfig)
	if got := woken(name); len(got) > 0 {
		t.Errorf("of a cluster that nobody has asked for yet, it wakes %v", got)
	}
	if _, err := f.Clusters.Get(t.Context(), f.clusterKey(), "node"); err == nil {
		t.Fatal("a cluster without a connection was read")
	}
	if got := woken(name); len(got) != 1 || got[0].NamespacedName != client.ObjectKeyFromObject(f.machine) {
		t.Errorf("it wakes %v, want machine %s", got, f.machine.Name)
	}
	for _, other := range []string{secret.Name(f.cluster.Name, secret.ClusterCA), secret.Name("other", secret.Kubeconfig), "kubeconfig"} {
		if got := woken(other); len(got) > 0 {
			t.Errorf("Secret %s wakes %v", other, got)
		}
	}
}

// pausedSince has a MachineHealthCheck say since when, in seconds, it is paused or not.
func pausedSince(status metav1.ConditionStatus, seconds int) build.MachineHealthCheckFunc {
	return func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Status.Conditions = []metav1.Condition{{
			Type: clusterv1.PausedCondition, Status: status, LastTransitionTime: metav1.NewTime(build.Epoch.Add(time.Duration(seconds) * time.Second)),
		}}
	}
}
