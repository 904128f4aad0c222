package hangs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/hangs"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

var since = build.Epoch

type edit = build.MachineFunc

// deleting is a Machine in deletion, whose condition says this.
func deleting(reason, message string, more ...edit) *clusterv1.Machine {
	return machine(append([]edit{func(m *clusterv1.Machine) {
		m.DeletionTimestamp, m.Finalizers = &metav1.Time{Time: since}, []string{clusterv1.MachineFinalizer}
		if reason != "" {
			m.Status.Conditions = append(m.Status.Conditions, is(clusterv1.MachineDeletingCondition, metav1.ConditionTrue, reason, message))
		}
	}}, more...)...)
}

func machine(edits ...edit) *clusterv1.Machine {
	m := build.Machine("default", "old")
	m.Status.NodeRef.Name, m.Status.Conditions = "node-1", nil
	m.Spec.ClusterName = "blue"
	m.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "DevMachine", Name: "old"}
	for _, one := range edits {
		one(m)
	}
	return m
}

func is(conditionType string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: conditionType, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(since)}
}

//nolint:staticcheck // Older versions have only these.
func was(conditionType clusterv1.ConditionType, status, reason, message string) edit {
	return func(m *clusterv1.Machine) {
		if m.Status.Deprecated == nil {
			m.Status.Deprecated = &clusterv1.MachineDeprecatedStatus{V1Beta1: &clusterv1.MachineV1Beta1DeprecatedStatus{}}
		}
		all := &m.Status.Deprecated.V1Beta1.Conditions
		*all = append(*all, clusterv1.Condition{Type: conditionType, Status: corev1.ConditionStatus(status), Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(since)})
	}
}

func noted(key, value string) edit {
	return func(m *clusterv1.Machine) { m.Annotations = map[string]string{key: value} }
}

func says(conditionType string, status metav1.ConditionStatus, reason, message string) edit {
	return func(m *clusterv1.Machine) {
		m.Status.Conditions = append(m.Status.Conditions, is(conditionType, status, reason, message))
	}
}

const (
	pdb    = "Drain not completed yet (started at 2026-11-06T12:00:00Z):\n* Pod db/db-1: cannot evict pod as it would violate the pod's disruption budget. The disruption budget db-pdb needs 1 healthy pods and has 1 currently"
	skip   = "Skip the drain; its Pods then end with the machine, whatever their budgets say: kubectl annotate machine.cluster.x-k8s.io old -n default machine.cluster.x-k8s.io/exclude-node-draining="
	hook   = "pre-drain.delete.hook.machine.cluster.x-k8s.io/backup"
	kcp    = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup"
	before = "DrainingSucceeded"
)

// TestDeletion: whatever keeps a Machine, the page says what, in its own words, and what a person can do about it.
func TestDeletion(t *testing.T) {
	tests := map[string]struct {
		machine *clusterv1.Machine
		cluster *clusterv1.Cluster
		want    []string
	}{
		"a budget": {deleting("DrainingNode", pdb), nil, []string{
			"Cluster API drains its Node",
			"Drain not completed yet (started at 2026-11-06T12:00:00Z): Pod db/db-1: cannot evict pod as it would violate the pod's disruption budget. The disruption budget db-pdb needs 1 healthy pods and has 1 currently",
			"See what the budget waits for, and give it another healthy Pod. In cluster blue: kubectl get pdb db-pdb -n db", skip,
		}},
		"a budget in words that nobody knows": {deleting("DrainingNode", "Pod a/b: it has a disruption budget"), nil, []string{
			"Cluster API drains its Node", "Pod a/b: it has a disruption budget",
			"See what the budget waits for, and give it another healthy Pod. In cluster blue: kubectl get pdb -A", skip,
		}},
		"Pods that do not end, and others that follow": {deleting("DrainingNode", "Drain not completed yet (started at x):\n* Pods web/a-1, web/a-2: deletionTimestamp set, but still not removed from the Node\nAfter above Pods have been removed from the Node, the following Pods will be evicted: web/b"), nil, []string{
			"Cluster API drains its Node",
			"Drain not completed yet (started at x): Pods web/a-1, web/a-2: deletionTimestamp set, but still not removed from the Node; After above Pods have been removed from the Node, the following Pods will be evicted: web/b",
			"See why the Pod does not end (a kubelet that does not answer, a finalizer, its grace period). In cluster blue: kubectl get pod a-1 -n web -o yaml", skip,
		}},
		"Pods that have to complete": {deleting("DrainingNode", "Drain not completed yet (started at x):\n* Pod jobs/a: waiting for completion"), nil, []string{
			"Cluster API drains its Node", "Drain not completed yet (started at x): Pod jobs/a: waiting for completion",
			"Let the Pods complete, as a MachineDrainRule asks: kubectl get machinedrainrules -n default", skip,
		}},
		"the drain is skipped already": {deleting("DrainingNode", "Drain not completed yet", noted(clusterv1.ExcludeNodeDrainingAnnotation, "")), nil, []string{
			"Cluster API drains its Node", "Drain not completed yet",
		}},
		"a drain that fails, with the error in the older condition": {deleting("DrainingNode", "Error draining Node, please check controller logs for errors", was(before, "False", "DrainingFailed", "failed to cordon Node node-1: forbidden")), nil, []string{
			"Cluster API drains its Node", "failed to cordon Node node-1: forbidden", skip,
		}},
		"only the older conditions": {deleting("", "", was("PreDrainDeleteHookSucceeded", "True", "", ""), was(before, "False", "Draining", "Draining the node before deletion")), nil, []string{
			"Cluster API drains its Node", "Draining the node before deletion", skip,
		}},
		"only the older conditions, at a hook": {deleting("", "", was("PreDrainDeleteHookSucceeded", "False", "WaitingExternalHook", ""), noted(hook, "velero")), nil, []string{
			"Cluster API waits for a pre-drain hook", "WaitingExternalHook",
			"Ask velero why the hook " + hook + " is not done; if nobody needs it, remove it: kubectl annotate machine.cluster.x-k8s.io old -n default " + hook + "-",
		}},
		"only the older conditions, at the infrastructure": {deleting("", "", was(before, "True", "", ""), was("InfrastructureReady", "False", "DeletionFailed", "the server is locked")), nil, []string{
			"Cluster API waits until DevMachine old is deleted", "the server is locked",
			"See its conditions, and whose finalizers it has: kubectl get devmachine.infrastructure.cluster.x-k8s.io old -n default -o yaml",
		}},
		"volumes": {deleting("WaitingForVolumeDetach", "Waiting for Node volumes to be detached (started at x)\n* PersistentVolumeClaims: db/data"), nil, []string{
			"Cluster API waits until volumes are detached from its Node", "Waiting for Node volumes to be detached (started at x); PersistentVolumeClaims: db/data",
			"See what is attached. In cluster blue: kubectl get volumeattachments",
			"Do not wait for volumes; what is not written to them yet may be lost: kubectl annotate machine.cluster.x-k8s.io old -n default machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach=",
		}},
		"the hook of a control plane": {deleting("WaitingForPreTerminateHook", "Waiting for pre-terminate hooks to succeed (hooks: "+kcp+")", noted(kcp, "")), nil, []string{
			"Cluster API waits for a pre-terminate hook", "Waiting for pre-terminate hooks to succeed (hooks: " + kcp + ")",
			"The KubeadmControlPlane removes the hook " + kcp + " once its etcd member is gone; see its conditions: kubectl get kubeadmcontrolplane -n default",
		}},
		"infrastructure, in its provider's words": {deleting("WaitingForInfrastructureDeletion", "Waiting for DevMachine to be deleted", says("InfrastructureReady", "False", "Deleting", "the server is locked")), nil, []string{
			"Cluster API waits until DevMachine old is deleted", "Waiting for DevMachine to be deleted; InfrastructureReady is False (Deleting): the server is locked",
			"See its conditions, and whose finalizers it has: kubectl get devmachine.infrastructure.cluster.x-k8s.io old -n default -o yaml",
		}},
		"a finalizer of somebody else": {deleting("DeletionCompleted", "Deletion completed", func(m *clusterv1.Machine) { m.Finalizers = []string{"dns.example.com/record"} }), nil, []string{
			"Cluster API has done its part, but the Machine still has the finalizer dns.example.com/record", "Deletion completed",
			"Ask the owner of the finalizer dns.example.com/record, who removes it after cleaning up. This shows who set it: kubectl get machine.cluster.x-k8s.io old -n default -o yaml --show-managed-fields",
		}},
		"finalizers of others, and nobody says anything": {deleting("", "", func(m *clusterv1.Machine) { m.Finalizers = []string{"a/b", metav1.FinalizerDeleteDependents} }), nil, []string{
			"Cluster API has done its part, but the Machine still has the finalizers a/b, foregroundDeletion", "",
			"See what it owns, which Kubernetes deletes first. This is the UID that their ownerReferences have: kubectl get machine.cluster.x-k8s.io old -n default -o jsonpath={.metadata.uid}",
		}},
		"a drain, and a finalizer of somebody else": {deleting("DrainingNode", "Drain not completed yet", func(m *clusterv1.Machine) { m.Finalizers = []string{"a/b"} }), nil, []string{
			"Cluster API drains its Node", "Drain not completed yet", skip,
		}},
		"the Node": {deleting("DeletingNode", "Error deleting Node, please check controller logs for errors"), nil, []string{
			"Cluster API cannot delete its Node", "Error deleting Node, please check controller logs for errors",
			"See whether the workload cluster answers, and who keeps the Node. In cluster blue: kubectl get node node-1 -o yaml",
		}},
		"its bootstrap config": {deleting("WaitingForBootstrapDeletion", "Waiting for KubeadmConfig to be deleted"), nil, []string{
			"Cluster API waits until its bootstrap config is deleted", "Waiting for KubeadmConfig to be deleted",
			"See whose finalizers its bootstrap config has. This names it: kubectl get machine.cluster.x-k8s.io old -n default -o jsonpath={.spec.bootstrap.configRef}",
		}},
		"an error that only the log has": {deleting("InternalError", "Please check controller logs for errors"), nil, []string{
			"Cluster API has an error", "Please check controller logs for errors",
			"Read Cluster API's log (where it is installed as usual): kubectl logs -n capi-system deployment/capi-controller-manager | grep old",
		}},
		"a paused cluster": {deleting("", ""), pausedCluster(), []string{
			"Cluster API does nothing, because the Cluster is paused", "",
			`End the pause, if nobody needs it: kubectl patch cluster.cluster.x-k8s.io blue -n default --type=merge -p '{"spec":{"paused":false}}'`,
		}},
		"a paused Machine": {deleting("", "", noted(clusterv1.PausedAnnotation, "")), nil, []string{
			"Cluster API does nothing, because the Machine has the annotation cluster.x-k8s.io/paused", "",
			"End the pause, if nobody needs it: kubectl annotate machine.cluster.x-k8s.io old -n default cluster.x-k8s.io/paused-",
		}},
		"nobody says anything": {deleting("", "", says(clusterv1.MachineDeletingCondition, "False", "NotDeleting", "")), nil, []string{
			"Cluster API has said nothing about it yet", "",
			"Read Cluster API's log (where it is installed as usual): kubectl logs -n capi-system deployment/capi-controller-manager | grep old",
		}},
		"a reason of later versions": {deleting("Packing", "Packing its things"), nil, []string{
			"Cluster API has begun to delete it", "Packing its things",
			"Read Cluster API's log (where it is installed as usual): kubectl logs -n capi-system deployment/capi-controller-manager | grep old",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d, ok := hangs.OfDeletion(tt.machine, tt.cluster)
			if !ok || !d.Since.Equal(since) {
				t.Fatalf("it is not being deleted since %s", since)
			}
			if diff := cmp.Diff(tt.want, append([]string{d.Does(), d.Quotes()}, d.Ways()...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func pausedCluster() *clusterv1.Cluster {
	c := &clusterv1.Cluster{}
	c.Spec.Paused = new(true)
	return c
}

// TestStageTimes: a stage is given up at the end of its timeout, which only begins with it.
func TestStageTimes(t *testing.T) {
	began := metav1.NewTime(since.Add(time.Minute))
	tests := map[string]struct {
		edit           edit
		stage, givesUp time.Duration
	}{
		"no timeout": {func(m *clusterv1.Machine) {
			m.Status.Deletion = &clusterv1.MachineDeletionStatus{NodeDrainStartTime: began}
		}, time.Minute, 0},
		"a timeout": {func(m *clusterv1.Machine) {
			m.Status.Deletion = &clusterv1.MachineDeletionStatus{NodeDrainStartTime: began}
			m.Spec.Deletion.NodeDrainTimeoutSeconds = new(int32(600))
		}, time.Minute, 11 * time.Minute},
		"not begun": {func(m *clusterv1.Machine) { m.Spec.Deletion.NodeDrainTimeoutSeconds = new(int32(600)) }, 0, 0},
		"0 is none": {func(m *clusterv1.Machine) {
			m.Status.Deletion = &clusterv1.MachineDeletionStatus{NodeDrainStartTime: began}
			m.Spec.Deletion.NodeDrainTimeoutSeconds = new(int32(0))
		}, time.Minute, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d, _ := hangs.OfDeletion(deleting("DrainingNode", "Drain not completed yet", tt.edit), nil)
			offset := func(at time.Time) time.Duration {
				if at.IsZero() {
					return 0
				}
				return at.Sub(since)
			}
			if offset(d.StageSince) != tt.stage || offset(d.GivesUp) != tt.givesUp {
				t.Errorf("it began after %s and ends after %s, want %s and %s", offset(d.StageSince), offset(d.GivesUp), tt.stage, tt.givesUp)
			}
		})
	}
}

// TestWaitsThatNeverEnd: a wait whose timeout is not set is told, unless the Machine says that the stage is skipped.
func TestWaitsThatNeverEnd(t *testing.T) {
	const drains, detaches, deletesNode, hook = "DrainingNode", "WaitingForVolumeDetach", "DeletingNode", "WaitingForPreDrainHook"
	set := func(seconds int32) edit {
		return func(m *clusterv1.Machine) {
			m.Spec.Deletion = clusterv1.MachineDeletionSpec{NodeDrainTimeoutSeconds: &seconds, NodeVolumeDetachTimeoutSeconds: &seconds, NodeDeletionTimeoutSeconds: &seconds}
		}
	}
	nothing := func(*clusterv1.Machine) {}
	for _, tt := range []struct {
		reason string
		edit   edit
		want   string
	}{
		{drains, nothing, "drain timeout"},
		{drains, set(0), "drain timeout"},
		{drains, set(600), ""},
		{drains, noted(clusterv1.ExcludeNodeDrainingAnnotation, ""), ""},
		{detaches, nothing, "volume detach timeout"},
		{detaches, set(600), ""},
		{detaches, noted(clusterv1.ExcludeWaitForNodeVolumeDetachAnnotation, ""), ""},
		{deletesNode, set(0), "Node deletion timeout"},
		{deletesNode, set(600), ""},
		{hook, nothing, ""},
	} {
		d, _ := hangs.OfDeletion(deleting(tt.reason, "", tt.edit), nil)
		if d.Unset != tt.want {
			t.Errorf("%s: the timeout that is not set is %q, want %q", tt.reason, d.Unset, tt.want)
		}
	}
}

// TestStart: a Machine without a Node says which stages it has not passed, in the words of those who know.
func TestStart(t *testing.T) {
	nodeless := func(m *clusterv1.Machine) { m.Status.NodeRef = clusterv1.MachineNodeReference{} }
	const provisioned = "DevMachine status.initialization.provisioned is false"
	tests := map[string]struct {
		edits []edit
		want  string
	}{
		"nothing is said": {nil, ""},
		"no host": {[]edit{
			says("BootstrapConfigReady", "True", "Ready", ""), says("InfrastructureReady", "False", "NotReady", "Failed to find an available BareMetalHost"),
			says("NodeHealthy", "Unknown", "InspectionFailed", "Waiting for DevMachine to report spec.providerID"),
		}, "InfrastructureReady is False: Failed to find an available BareMetalHost"},
		"no quota": {[]edit{says("InfrastructureReady", "False", "InstanceProvisionFailed", "VcpuLimitExceeded: 32 of 32")}, "InfrastructureReady is False (InstanceProvisionFailed): VcpuLimitExceeded: 32 of 32"},
		"bootstrap and infrastructure": {[]edit{
			says("InfrastructureReady", "False", "WaitingForBootstrapData", ""), says("BootstrapConfigReady", "False", "NotReady", "the CA is missing"),
		}, "BootstrapConfigReady is False: the CA is missing; InfrastructureReady is False (WaitingForBootstrapData)"},
		"another provider ID": {[]edit{
			says("InfrastructureReady", "True", "Ready", ""), says("NodeHealthy", "Unknown", "InspectionFailed", "Waiting for a Node with spec.providerID aws:///i-1 to exist"),
		}, "NodeHealthy is Unknown: Waiting for a Node with spec.providerID aws:///i-1 to exist"},
		"the older condition says more": {[]edit{
			says("InfrastructureReady", "False", "NotReady", provisioned), was("InfrastructureReady", "False", "NoHost", "No host is free"),
		}, "InfrastructureReady is False (NoHost): No host is free"},
		"the older condition says less": {[]edit{
			says("InfrastructureReady", "False", "NotReady", "No host is free"), was("InfrastructureReady", "False", "WaitingForInfrastructure", ""),
		}, "InfrastructureReady is False: No host is free"},
		"only the older conditions": {[]edit{was("BootstrapReady", "True", "", ""), was("InfrastructureReady", "False", "NoHost", "No host is free"), was("NodeHealthy", "False", "WaitingForNodeRef", "")}, "InfrastructureReady is False (NoHost): No host is free"},
		"neither says why":          {[]edit{says("InfrastructureReady", "False", "NotReady", provisioned), was("InfrastructureReady", "False", "WaitingForInfrastructure", "")}, "InfrastructureReady is False (WaitingForInfrastructure): " + provisioned},
		"a password":                {[]edit{says("InfrastructureReady", "False", "NotReady", "cannot reach https://admin:hunter2@bmc/")}, "InfrastructureReady is False: cannot reach https://admin:***@bmc/"},
		"it has a Node":             {[]edit{func(m *clusterv1.Machine) { m.Status.NodeRef.Name = "n" }, says("NodeHealthy", "False", "NodeNotHealthy", "x")}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, hangs.StartWords(machine(append([]edit{nodeless}, tt.edits...)...))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzDeletion: whatever a condition says, it is quoted on one line, and no command is split by it.
func FuzzDeletion(f *testing.F) {
	f.Add("DrainingNode", pdb)
	f.Add("WaitingForVolumeDetach", "a:\n* b\n\n*c")
	f.Fuzz(func(t *testing.T, reason, message string) {
		d, _ := hangs.OfDeletion(deleting(reason, message), nil)
		for _, one := range append(d.Ways(), d.Does(), d.Quotes()) {
			if strings.ContainsAny(one, "\n\r") {
				t.Errorf("%q has several lines", one)
			}
		}
	})
}
