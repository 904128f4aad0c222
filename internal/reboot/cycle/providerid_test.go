package cycle

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestProviderIDIsKept: Cluster API's provider for Metal3 sets spec.providerID of a Node only until the Machine has its nodeRef. Nobody else sets it on
// the Node that registers after a cycle, and Cluster API finds the Node of a Machine by nothing else.
func TestProviderIDIsKept(t *testing.T) {
	const id = "metal3://ns/h1/m1"
	before := in(v1alpha1.Fenced)
	before.Node.Node.Spec.ProviderID = id
	backup := Decide(before, noon.Time).Status.Node.Backup
	if backup == nil || backup.ProviderID != id {
		t.Fatalf("kept is %+v", backup)
	}
	after := in(v1alpha1.Restoring)
	after.Status.Node.Backup = backup
	after.Node.Node.Labels = backup.Labels
	setReady(after.Node.Node, corev1.ConditionTrue, noon.Time)
	if d := Decide(after, noon.Time); d.Action != RestoreNode {
		t.Errorf("a Node without its provider ID: %s", d)
	}
	after.Node.Node.Spec.ProviderID = "another"
	if d := Decide(after, noon.Time); d.Action == RestoreNode {
		t.Error("a provider ID is overwritten, which the API server refuses")
	}
}
