package plants

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/workload"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// plantsOfSignals break the rules about detectors.
var plantsOfSignals = []*history.Plant{
	{
		Name: "forgets what it saw", World: signalWorld(), Rule: rules.Reason,
		About: "what is remembered of the conditions of a Node is lost, so a detector that restarts its clock restarts ours",
		Change: func(_ *history.Process, with history.Parts) history.Parts {
			with.Client = forgetful{with.Client}
			return with
		},
	},
	{
		Name: "hears the dead", World: signalWorld(), Rule: rules.Health,
		About: "the last heartbeat of a condition counts as one of now, so a silent detector is believed",
		Change: func(p *history.Process, with history.Parts) history.Parts {
			with.Nodes = neverSilent{with.Nodes, p}
			return with
		},
	},
}

func signalWorld() *worlds.Spec {
	s := plantWorld(worlds.OwnerReplaces, 1, worlds.Signals, worlds.Faults)
	s.Sick = 0
	return s
}

// forgetful drops what Machines remember.
type forgetful struct{ client.Client }

// Get implements client.Reader.
func (c forgetful) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	err := c.Client.Get(ctx, key, obj, opts...)
	if machine, ok := obj.(*clusterv1.Machine); ok {
		machine.Status.Conditions = slices.DeleteFunc(slices.Clone(machine.Status.Conditions), func(c metav1.Condition) bool { return c.Type == verdict.TrustConditionType })
	}
	return err
}

// neverSilent has every detector heard now.
type neverSilent struct {
	workload.Nodes
	p *history.Process
}

// Get implements workload.Nodes.
func (n neverSilent) Get(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	node, err := n.Nodes.Get(ctx, cluster, name)
	return n.heard(node), err
}

// GetLive implements workload.Nodes.
func (n neverSilent) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	node, err := n.Nodes.GetLive(ctx, cluster, name)
	return n.heard(node), err
}

func (n neverSilent) heard(node *corev1.Node) *corev1.Node {
	if node == nil {
		return nil
	}
	node = node.DeepCopy()
	for i := range node.Status.Conditions {
		node.Status.Conditions[i].LastHeartbeatTime = metav1.NewTime(n.p.Now())
	}
	return node
}
