package externalremediation

import (
	"context"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestLooksAgainAfterAWriteThatTookLong: the queue ignores a negative wait, and no event announces that the machine is healthy.
func TestLooksAgainAfterAWriteThatTookLong(t *testing.T) {
	f := newHarness(t)
	f.annotated(true)
	f.settles()
	f.ends(v1alpha1.Failed, "no")
	f.Client = f.env.Intercept(t, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			f.clock.SetTime(f.clock.Now().Add(2 * lookAgain))
			return c.Patch(ctx, obj, patch, opts...)
		},
	})
	result, err := f.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(f.machine)})
	f.must(err)
	if result.RequeueAfter <= 0 {
		t.Errorf("it looks again after %s, so never", result.RequeueAfter)
	}
}
