package fleet

import (
	"context"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// judge adds what the verdict on each machine depends on. What cannot be read from here is left out: the stored verdict counts.
func (l *look) judge(ctx context.Context) {
	for _, m := range l.facts.Machines {
		cluster := l.clusters[targets.ClusterOf(m.Machine)]
		if m.Check == nil || cluster == nil {
			continue
		}
		facts, err := l.Health.CachedFacts(ctx, m.Machine, m.Check.MachineHealthCheck, cluster)
		if err != nil {
			continue
		}
		if facts.Node.State == machinehealth.NodeUnreadable {
			l.unreadable[targets.ClusterOf(m.Machine)] = facts.Node.Cause
		}
		m.Health = &facts
	}
}
