package reboot

import (
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestNodeKeepsItsProviderID takes a machine through a whole cycle. Its kubelet does not know its provider ID: Cluster API's provider
// for Metal3 has set it, once, before the Machine had its nodeRef.
func TestNodeKeepsItsProviderID(t *testing.T) {
	p := newPlane(t, 1)
	node := reread(t, p.e, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: p.node("m1")}})
	id := node.Spec.ProviderID
	request := p.ask("m1")
	if got := p.look(request).Status.Phase; got != v1alpha1.PoweringOff {
		t.Fatalf("in phase %s", got)
	}
	p.host("m1", func(h *metal3v1.BareMetalHost) {
		delete(h.Annotations, cycle.ProbeKey)
		h.Status.PoweredOn = false
	})
	if got := p.look(request).Status; got.Phase != v1alpha1.PoweringOn || got.NodeGoneAt == nil {
		t.Fatalf("in phase %s: %+v", got.Phase, got)
	}
	p.host("m1", func(h *metal3v1.BareMetalHost) { h.Status.PoweredOn = true })
	fresh := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
	build.Create(t.Context(), t, p.e.Client, fresh)
	fresh.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now()}}
	if err := p.e.Client.Status().Update(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	request = p.look(request)
	if got := reread(t, p.e, fresh).Spec.ProviderID; request.Status.Phase != v1alpha1.Succeeded || got != id || id == "" {
		t.Errorf("the cycle is %s, and the Node has the provider ID %q, want %q", request.Status.Phase, got, id)
	}
}
