package externalremediation

import (
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestProviderKeepsItsAnnotation: OpenShift's provider carries the annotation out. It returns at once when the annotation is gone
// (Actuator.remediateIfNeeded), whatever it has done by then: with reboot.metal3.io/capbm-requested-power-off on the host, the host stays
// off. Its Node reads Ready for 40 seconds after the host went off, and again before the provider has put back its labels.
func TestProviderKeepsItsAnnotation(t *testing.T) {
	f := newHarness(t)
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: f.machine.Namespace, Name: ProviderLease}}
	lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = new("capbm"), new(int32(120))
	lease.Spec.RenewTime = new(metav1.NewMicroTime(f.clock.Now()))
	f.must(f.env.Client.Create(t.Context(), lease))
	f.annotated(true)
	f.settles()
	f.is("Ready", corev1.ConditionTrue)
	f.settles()
	if _, asked := f.machine.Annotations[Annotation]; !asked {
		t.Error("Sickbay has removed the annotation that OpenShift's provider is carrying out")
	}
}
