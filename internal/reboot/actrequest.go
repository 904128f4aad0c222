package reboot

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// store writes the status, and announces what has changed in it.
func (r *Reconciler) store(ctx context.Context, request *v1alpha1.RebootRemediation, status v1alpha1.RebootRemediationStatus) error {
	before := request.Status
	request.Status = status
	if err := r.Client.Status().Update(ctx, request, client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("writing the status of RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	r.expectations.Expect(request)
	measure(before, status)
	r.announce(ctx, request, before)
	return nil
}
