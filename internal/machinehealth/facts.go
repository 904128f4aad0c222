package machinehealth

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// Observer reads the facts about Machines.
type Observer struct {
	Nodes workload.Nodes
	// Hosts reads the bare-metal hosts. If nil, none are found.
	Hosts *Hosts
	// GracePeriod is how long a healthy Machine stays healthy after the connection to its workload cluster is lost.
	GracePeriod time.Duration
}

// Facts reads what the verdict on machine depends on, by the rules of mhc, and of others that select it, too. It reads the Node from the
// cache, or past it if live is set.
func (o *Observer) Facts(ctx context.Context, machine *clusterv1.Machine, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, live bool, others ...*clusterv1.MachineHealthCheck) (verdict.Facts, error) {
	read := o.read
	if live {
		read = o.Nodes.GetLive
	}
	return o.facts(ctx, machine, mhc, cluster, read, live, others)
}

// CachedFacts reads what the verdict on machine depends on from the caches alone: a Node that is not in the cache counts
// as gone. Such a verdict is no reason to act, but cheap enough to judge all Machines at once.
func (o *Observer) CachedFacts(ctx context.Context, machine *clusterv1.Machine, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, others ...*clusterv1.MachineHealthCheck) (verdict.Facts, error) {
	return o.facts(ctx, machine, mhc, cluster, o.Nodes.Get, false, others)
}

func (o *Observer) facts(ctx context.Context, machine *clusterv1.Machine, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, read readNode, live bool, others []*clusterv1.MachineHealthCheck) (verdict.Facts, error) {
	node, err := o.node(ctx, machine, read)
	if err != nil {
		return verdict.Facts{}, err
	}
	facts := verdict.Facts{
		Machine: machine, Cluster: cluster, Rules: mhcspec.RulesOf(mhc), Node: node,
		WasHealthy: meta.IsStatusConditionTrue(machine.Status.Conditions, verdict.ConditionType), GracePeriod: o.GracePeriod,
	}
	if len(others) > 0 {
		facts.Rules = mhcspec.SharedRulesOf(mhc, cluster)
	}
	for _, other := range others {
		facts.More = append(facts.More, mhcspec.SharedRulesOf(other, cluster))
	}
	if !facts.HostSick() {
		return facts, nil
	}
	host, err := o.Hosts.of(ctx, machine, live)
	if err != nil {
		return verdict.Facts{}, fmt.Errorf("reading the host of machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	facts.HostQuiet = host.Error == ""
	facts.HostErrorGone = live && facts.HostQuiet
	return facts, nil
}
