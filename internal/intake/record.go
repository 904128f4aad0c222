package intake

import (
	"context"
	"fmt"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// makeRecord makes a record. Two managers that do so at once choose one name.
func (w writer) makeRecord(ctx context.Context, v observation, d ask.Decision) error {
	ordinal := 0
	for _, one := range v.facts.Records {
		ordinal = max(ordinal, recordstore.Ordinal(one))
	}
	made := recordstore.NewIn(v.machine.Namespace, v.cluster, ordinal+1, d.Spec)
	if filter := w.watchFilter; filter != "" {
		made.Labels[clusterv1.WatchLabel] = filter
	}
	if d.QuorumLoss {
		made.Annotations[rebootannotation.AllowQuorumLoss] = "true"
	}
	if err := w.Create(ctx, made, client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("creating MachineRemediation %s: %w", client.ObjectKeyFromObject(made), err)
	}
	return nil
}
