package upgradepause

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// FieldOwner is the field manager of our writes to MachineHealthChecks.
const FieldOwner = "sickbay-upgradepause"

// act writes the decision in one patch, and only to the MachineHealthCheck that was observed: if it has
// changed since, the API server refuses.
func (r *Reconciler) act(ctx context.Context, check *metav1.PartialObjectMetadata, d pause.Decision) error {
	if len(d.Changes) == 0 {
		return nil
	}
	after := &metav1.PartialObjectMetadata{TypeMeta: check.TypeMeta, ObjectMeta: metav1.ObjectMeta{Namespace: check.Namespace, Name: check.Name}}
	if err := r.Client.Patch(ctx, after, ownwrites.Annotations(check, d.Changes), client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("annotating MachineHealthCheck %s: %w", client.ObjectKeyFromObject(check), err)
	}
	r.expectations.Expect(after)
	return nil
}
