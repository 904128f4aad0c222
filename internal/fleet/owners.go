package fleet

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/owners"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
)

// ownersAtMost is how many owners a look reads. More are rarely in trouble at once, and those that are asked for something come first.
const ownersAtMost = 50

// Owners returns a function that reads the owners of machines, each once, and at most so many; 0 means all. It is not safe for concurrent use.
func (o *Observer) Owners(ctx context.Context, most int) func(*clusterv1.Machine, *clusterv1.Cluster) (silence.Facts, error) {
	reader := owners.Reader{Live: o.Live, Most: most}
	return func(m *clusterv1.Machine, cluster *clusterv1.Cluster) (silence.Facts, error) {
		return reader.Of(ctx, m, cluster)
	}
}

// readOwners adds what is known about the owners of machines that are sick or under repair. An owner that cannot be read from here is unknown.
func (l *look) readOwners(ctx context.Context) {
	read := l.Owners(ctx, ownersAtMost)
	for _, asked := range []bool{true, false} {
		for _, m := range l.facts.Machines {
			if (m.Record != nil) != asked || !wantsOwner(m) {
				continue
			}
			if facts, err := read(m.Machine, l.clusters[mhcspec.ClusterOf(m.Machine)]); err == nil {
				m.Owner = facts
			}
		}
	}
}

// wantsOwner reports whether the owner of a machine may be asked to replace it.
func wantsOwner(m *explain.Machine) bool {
	return m.Machine.DeletionTimestamp.IsZero() && (m.Record != nil || verdict.Of(m.Machine).Status == metav1.ConditionFalse)
}
