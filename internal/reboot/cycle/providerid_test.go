package cycle

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestProviderIDIsKept: Cluster API's provider for Metal3 sets spec.providerID of a Node itself, unless the kubelet or a cloud
// controller does, and only until the Machine has its nodeRef (Metal3MachineReconciler.reconcileNormal). Nobody sets it on the Node that
// registers after the cycle, and Cluster API finds the Node of a Machine by nothing else.
func TestProviderIDIsKept(t *testing.T) {
	const id = "metal3://ns/h1/m1"
	f := in(v1alpha1.Fenced)
	f.Node.Node.Spec.ProviderID = id
	d := Decide(f, noon.Time)
	if d.Status.Phase != v1alpha1.Isolating {
		t.Fatalf("in phase %s", d.Status.Phase)
	}
	kept, err := json.Marshal(d.Status.Node.Backup)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(kept), id) {
		t.Errorf("the Node is deleted, and of its spec.providerID is kept nothing: %s", kept)
	}
	back := in(v1alpha1.Restoring)
	back.Status.Node.Backup = d.Status.Node.Backup
	back.Node.Node.Labels = d.Status.Node.Backup.Labels
	setReady(back.Node.Node, corev1.ConditionTrue, noon.Time)
	if end := Decide(back, noon.Time); end.Status.Phase != v1alpha1.Restoring && back.Node.Node.Spec.ProviderID == "" {
		t.Errorf("the cycle has succeeded, and the Node has no providerID any more: its Machine has no Node for Cluster API")
	}
}
