package machinehealthcheck

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestAdopt: owner reference to the Cluster and the cluster-name label are ensured, others are kept.
func TestAdopt(t *testing.T) {
	t.Parallel()
	noLabels := build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) { mhc.Labels = nil })
	other := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "other", UID: "other"}
	tests := map[string]struct {
		opts       []build.MachineHealthCheckOption
		wantLabels map[string]string
		wantOwners []string
	}{
		"no labels":    {opts(noLabels), map[string]string{clusterv1.ClusterNameLabel: "cluster"}, []string{"cluster"}},
		"wrong label":  {opts(build.Label(clusterv1.ClusterNameLabel, "wrong")), map[string]string{clusterv1.ClusterNameLabel: "cluster"}, []string{"cluster"}},
		"other labels": {opts(noLabels, build.Label("a", "b")), map[string]string{"a": "b", clusterv1.ClusterNameLabel: "cluster"}, []string{"cluster"}},
		"other owners": {
			opts(build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) { mhc.OwnerReferences = []metav1.OwnerReference{other} })),
			map[string]string{clusterv1.ClusterNameLabel: "cluster"},
			[]string{"cluster", "other"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			mhc := w.check(t, tt.opts...)
			w.reconcile(t, mhc)
			latest, _ := stored(t, w, mhc)
			if diff := cmp.Diff(tt.wantLabels, latest.Labels); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
			var got []string
			for _, ref := range latest.OwnerReferences {
				got = append(got, ref.Name)
				if ref.Name == "cluster" && (ref.UID != w.cluster.UID || ref.Kind != "Cluster" || ref.Controller != nil) {
					t.Errorf("owner reference is %+v", ref)
				}
			}
			if diff := cmp.Diff(tt.wantOwners, got, cmpopts.SortSlices(func(a, b string) bool { return a < b })); diff != "" {
				t.Errorf("owners (-want +got):\n%s", diff)
			}
			version := latest.ResourceVersion
			w.reconcile(t, mhc)
			if latest, _ = stored(t, w, mhc); latest.ResourceVersion != version {
				t.Error("it was written again without need")
			}
		})
	}
}

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

// TestDeletedWhileReconciled: a MachineHealthCheck that goes while it is looked at is no error.
func TestDeletedWhileReconciled(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]build.MachineHealthCheckOption{
		"before it is adopted": nil,
		"while paused":         opts(build.Annotation(clusterv1.PausedAnnotation, "")),
		"once it is adopted":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			mhc := w.check(t, opts...)
			if name == "once it is adopted" {
				w.reconcile(t, mhc)
			}
			w.sick(t, "a")
			w.freeze(t, mhc)
			remove(t, w, mhc)
			w.reconcile(t, mhc)
			w.wantAdmitted(t)
			w.wantEvents(t)
		})
	}
}
