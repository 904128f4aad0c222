package baremetal_test

import (
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestHostStaysOn: a host that cannot be switched off keeps its Node, and the owner of the machine must replace it. The
// replacement comes up on another host.
func TestHostStaysOn(t *testing.T) {
	settings := v1alpha1.RebootSettings{RetryLimit: new(int32(0)), PowerOffTimeoutSeconds: new(int32(3))}
	c := newCluster(t, world.ClusterSpec{Name: "stubborn", Workers: 2, SpareHosts: 1}, byTemplate(t, settings))
	p := c.watch(&c.workers()[0])
	// Since version 0.14, the operator leaves keys alone that are not its own, so nobody removes ours.
	p.has(baremetal.Faults{FailOff: 1000, KeepForeignKeys: true})
	p.hangs()

	failed := p.reaches(v1alpha1.Failed).Object.(*v1alpha1.RebootRemediation)
	c.Expect(meta.FindStatusCondition(failed.Status.Conditions, v1alpha1.ConditionSucceeded)).To(HaveField("Reason", v1alpha1.ReasonPowerOffTimedOut))
	marked := p.await("the mark for the owner", func(e journal.Entry) bool {
		machine, ok := e.Object.(*clusterv1.Machine)
		return ok && machine.UID == p.machine.UID && journal.Marked(machine)
	})
	c.Expect(marked.Object.GetDeletionTimestamp()).To(BeNil())
	gone := p.await("the end of the Node", func(e journal.Entry) bool { return e.Object.GetUID() == p.node.UID && e.Gone })
	c.Expect(marked.Before(gone)).To(BeTrue(), "the Node goes with the machine, and not before")

	c.Eventually(c.isGone(p.machine.DeepCopy())).Should(BeTrue(), "its owner deletes it")
	c.Expect(p.ends(v1alpha1.ReasonReplaced)).To(tried("reboot: Failed", "replace: Succeeded"))
	c.Eventually(func() error { return c.world.Ready(c.Context(), c.spec.Key()) }).Should(Succeed(), "and makes another one")
	c.workers()
	host := &metal3v1.BareMetalHost{}
	c.Expect(c.client.Get(c.Context(), p.host, host)).To(Succeed())
	c.Expect(host.Annotations).To(And(HaveLen(2), HaveKey("capi.metal3.io/unhealthy"), HaveKey("capm3.metal3.io/unhealthy")),
		"nothing is left on the host but the marks that keep it from being handed out")
}
