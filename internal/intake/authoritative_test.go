package intake

import (
	"context"
	"testing"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// TestMachineOfClusterAPI: a Machine whose status.authoritativeAPI is ClusterAPI is the copy of one of Cluster API, with its annotations. Only that
// one is taken in, so the host is cycled once.
func TestMachineOfClusterAPI(t *testing.T) {
	f := newExternal(t)
	f.Live = f.env.Intercept(t, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
		err := c.Get(ctx, key, obj, opts...)
		if m, ok := obj.(*machinev1.Machine); ok {
			// The usual definition does not have the field yet.
			m.Status.AuthoritativeAPI = machinev1.MachineAuthorityClusterAPI
		}
		return err
	}})
	before := f.of.DeepCopy()
	f.of.Annotations = map[string]string{rebootannotation.Request: "please"}
	f.must(f.env.Client.Patch(t.Context(), f.of, client.MergeFrom(before)))
	f.settles()
	if n := len(f.records()); n > 0 {
		t.Errorf("%d record is made, annotations %v", n, f.of.Annotations)
	}
}
