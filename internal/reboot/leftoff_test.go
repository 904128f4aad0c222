package reboot

import (
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestHistoryLeavesNoHostOff: the cycles of a machine are kept with their records. A first one failed, the second one succeeded, and weeks later the
// host loses its power. No cycle has left it off: it counts as one that is down, and no more.
func TestHistoryLeavesNoHostOff(t *testing.T) {
	p := newPlane(t, 5)
	machine := reread(t, p.e, &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: "m2"}})
	host := reread(t, p.e, &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: "m2"}})
	for i, phase := range []v1alpha1.Phase{v1alpha1.Failed, v1alpha1.Succeeded} {
		request := cycleOf(p.ns, []string{"m2-1", "m2-2"}[i], v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m2"})
		build.Create(t.Context(), t, p.e.Client, request)
		request.Status = in(phase).Status
		request.Status.MachineUID, request.Status.Host = machine.UID, &v1alpha1.HostIdentity{Name: "m2", UID: host.UID}
		request.Status.FinishedAt = new(metav1.NewTime(time.Now().Add(time.Duration(i-30) * time.Hour)))
		if err := p.e.Client.Status().Update(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
	p.host("m2", func(h *metal3v1.BareMetalHost) { h.Status.PoweredOn = false })
	request := p.look(p.ask("m1"))
	if request.Status.Phase != v1alpha1.PoweringOff {
		t.Errorf("3 of the 4 others are up, as five need, and it is in phase %s: %s", request.Status.Phase, messageOf(request.Status))
	}
}
