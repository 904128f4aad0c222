package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

func TestDefaultsAreValid(t *testing.T) {
	o := DefaultOptions()
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	if o.Policy.Adopt != mhcspec.AdoptAll {
		t.Errorf("adopts %q by default", o.Policy.Adopt)
	}
}

func TestBadOptionsMakeNoManager(t *testing.T) {
	if _, err := New(t.Context(), nil, Options{}); err == nil {
		t.Error("a manager was made of empty options")
	}
}

// TestOnlyKubeconfigsAreHeld: of all Secrets with a cluster's label, only kubeconfigs keep their data in memory.
func TestOnlyKubeconfigsAreHeld(t *testing.T) {
	for name, want := range map[string]map[string][]byte{
		"blue-kubeconfig": {"value": []byte("x")},
		"blue-ca":         nil,
		"blue-etcd":       nil,
	} {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{"value": []byte("x")}}
		kept, err := keepKubeconfig(secret)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, kept.(*corev1.Secret).Data); diff != "" {
			t.Errorf("data of %s (-want +got):\n%s", name, diff)
		}
	}
}
