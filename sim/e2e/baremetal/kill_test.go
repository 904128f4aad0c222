package baremetal_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

const (
	slow = 3 * time.Second
	// stays is a finalizer that keeps a Node.
	stays = "example.com/stays"
)

// TestKilled: killing the process in the middle of a cycle does not change the outcome. The next process continues the
// same cycle, and does not switch the host again.
func TestKilled(t *testing.T) {
	c := newCluster(t, world.ClusterSpec{Name: "killed", Workers: 3}, byTemplate(t, v1alpha1.RebootSettings{}))
	workers := c.workers()
	// Each phase lasts long enough to kill the process in it.
	for i, kill := range []struct {
		phase  v1alpha1.Phase
		last   func(*sickMachine)
		goesOn func(*sickMachine)
	}{
		{v1alpha1.PoweringOff, func(p *sickMachine) { p.has(baremetal.Faults{OffTakes: slow}) }, func(*sickMachine) {}},
		{v1alpha1.Isolating, (*sickMachine).keepNode, (*sickMachine).letNodeGo},
		{v1alpha1.PoweringOn, func(p *sickMachine) { p.has(baremetal.Faults{OnTakes: slow}) }, func(*sickMachine) {}},
	} {
		p := c.watch(&workers[i])
		kill.last(p)
		p.hangs()
		request := p.reaches(kill.phase).Object.(*v1alpha1.RebootRemediation).DeepCopy()
		c.Expect(c.sick.Kill()).To(Succeed())
		c.Expect(c.client.Get(c.Context(), client.ObjectKeyFromObject(request), request)).To(Succeed())
		c.Expect(request.Status.Phase).To(Equal(kill.phase), "it was killed in that phase")
		c.startSickbay()
		kill.goesOn(p)
		p.recovers()
		c.Expect(p.hosts.Cycled(c.Context(), p.host)).To(Succeed())
		c.Expect(p.marked()).To(BeFalse())
	}
}

func (p *sickMachine) keepNode() {
	p.Helper()
	p.changeNode(func(node *corev1.Node) { controllerutil.AddFinalizer(node, stays) })
}

func (p *sickMachine) letNodeGo() {
	p.Helper()
	p.changeNode(func(node *corev1.Node) { controllerutil.RemoveFinalizer(node, stays) })
}

func (p *sickMachine) changeNode(change func(*corev1.Node)) {
	p.Helper()
	node := &corev1.Node{}
	p.Expect(p.client.Get(p.Context(), client.ObjectKeyFromObject(p.node), node)).To(Succeed())
	before := node.DeepCopy()
	change(node)
	p.Expect(p.client.Patch(p.Context(), node, client.MergeFrom(before))).To(Succeed())
}
