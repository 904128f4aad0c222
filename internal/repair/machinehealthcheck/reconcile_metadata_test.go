package machinehealthcheck

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestOwnerRefused: where the API server has OwnerReferencesPermissionEnforcement, as OpenShift's has, only those who may delete a
// MachineHealthCheck may change its owners. That is said once, and holds up nothing.
func TestOwnerRefused(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	refuses, tries := true, 0
	w.restart(w.env.Intercept(t, interceptor.Funcs{
		Apply: func(ctx context.Context, c client.WithWatch, config runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			u, ok := config.(interface{ UnstructuredContent() map[string]any })
			if !ok {
				return c.Apply(ctx, config, opts...)
			}
			if _, found, _ := unstructured.NestedSlice(u.UnstructuredContent(), "metadata", "ownerReferences"); found {
				tries++
				if refuses {
					return apierrors.NewForbidden(schema.GroupResource{Resource: "machinehealthchecks"}, "mhc", errors.New("cannot set an ownerRef on a resource you can't delete"))
				}
			}
			return c.Apply(ctx, config, opts...)
		},
	}))
	mhc := w.check(t, build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) { mhc.Labels = nil }))
	for range 3 {
		w.reconcile(t, mhc)
	}
	latest, _ := stored(t, w, mhc)
	if latest.Labels[clusterv1.ClusterNameLabel] != "cluster" || len(latest.OwnerReferences) > 0 || latest.Status.ExpectedMachines == nil {
		t.Errorf("it has the labels %v, the owners %v and the status %+v", latest.Labels, latest.OwnerReferences, latest.Status)
	}
	if tries != 1 {
		t.Errorf("it was tried %d times", tries)
	}
	w.wantEvents(t, "Warning OwnerRefused Sickbay may not make its Cluster the owner: machinehealthchecks \"mhc\" is forbidden: cannot set an ownerRef on a resource you can't delete")
	refuses = false
	w.pass(ownAgain)
	w.reconcile(t, mhc)
	if latest, _ = stored(t, w, mhc); len(latest.OwnerReferences) != 1 {
		t.Errorf("the owners are %v once Sickbay may set them", latest.OwnerReferences)
	}
}
