package scaffold_test

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

func TestFind(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	c := fake.NewClientBuilder().WithObjects(node).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if key.Name == "cut" {
				return errors.New("cut")
			}
			return c.Get(ctx, key, obj, opts...)
		},
	}).Build()
	only := &metav1.PartialObjectMetadata{}
	only.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Node"))
	for name, tt := range map[string]struct {
		found bool
		err   string
	}{
		"n":    {true, ""},
		"gone": {false, ""},
		"cut":  {false, "getting Node /cut: cut"},
	} {
		t.Run(name, func(t *testing.T) {
			key := client.ObjectKey{Name: name}
			whole, err := scaffold.Find(t.Context(), c, key, &corev1.Node{})
			check(t, whole != nil, err, tt.found, tt.err)
			part, err := scaffold.Find(t.Context(), c, key, only.DeepCopy())
			check(t, part != nil, err, tt.found, tt.err)
		})
	}
}

func check(t *testing.T, found bool, err error, wantFound bool, wantErr string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if found != wantFound || got != wantErr {
		t.Errorf("found %t, error %q; want %t, %q", found, got, wantFound, wantErr)
	}
}
