package machinehealthcheck

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestStatusIsNotWrittenOnANamesake: somebody deletes the MachineHealthCheck while it is looked at, and makes another one of that name. What
// was found is not about that one, and no event says that it is.
func TestStatusIsNotWrittenOnANamesake(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	mhc := w.check(t, build.Annotation(clusterv1.PausedAnnotation, ""))
	namesake := build.MachineHealthCheck(w.ns, "mhc")
	replaced := false
	w.restart(w.env.Intercept(t, interceptor.Funcs{
		SubResourceApply: func(ctx context.Context, c client.Client, sub string, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
			if !replaced {
				replaced = true
				if err := w.env.Client.Delete(ctx, mhc); err != nil {
					t.Error(err)
				}
				build.Create(ctx, t, w.env.Client, namesake)
			}
			return c.SubResource(sub).Apply(ctx, obj, opts...)
		},
	}))
	w.reconcile(t, mhc)
	latest, _ := stored(t, w, namesake)
	if !replaced || !equality.Semantic.DeepEqual(latest.Status, namesake.Status) {
		t.Errorf("the namesake has the status %+v", latest.Status)
	}
	w.wantEvents(t)
}
