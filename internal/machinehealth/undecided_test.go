package machinehealth

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestUndecided: while it is not known whether we may judge a Machine, the stored condition stays, even if somebody else wrote it.
func TestUndecided(t *testing.T) {
	f := newHarness(t)
	f.reconcile()
	f.delete(f.cluster)
	before := f.version()
	if _, err := f.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(f.machine)}); err == nil {
		t.Error("a missing Cluster is no error")
	}
	if f.version() != before {
		t.Error("something was written")
	}
	f.stored(metav1.ConditionTrue, "Succeeded", "")
}
