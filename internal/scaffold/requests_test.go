package scaffold

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// cached is a cache of ConfigMaps.
type cached struct {
	client.Reader

	items []corev1.ConfigMap
	err   error
}

// List implements client.Reader.
func (c cached) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*corev1.ConfigMapList).Items = c.items
	return c.err
}

func TestRequestsIn(t *testing.T) {
	small := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "small"}}
	large := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "large"}}
	one := []ctrl.Request{{NamespacedName: types.NamespacedName{Namespace: "ns", Name: "large"}}}
	tests := map[string]struct {
		cache cached
		want  []ctrl.Request
	}{
		"one of two":       {cached{items: []corev1.ConfigMap{small, large}}, one},
		"none":             {cached{items: []corev1.ConfigMap{small}}, []ctrl.Request{}},
		"the cache stops":  {cached{items: []corev1.ConfigMap{large}, err: errors.New("stopped")}, nil},
		"nothing is there": {cached{}, []ctrl.Request{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := RequestsIn(t.Context(), tt.cache, &corev1.ConfigMapList{}, func(m *corev1.ConfigMap) bool { return m.Name == "large" })
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}
