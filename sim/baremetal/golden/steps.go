package golden

import (
	"time"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// reaches waits for a state.
func (b *bench) reaches(state metal3api.ProvisioningState) {
	b.Helper()
	b.g.Eventually(func() metal3api.ProvisioningState { return b.get().Status.Provisioning.State }).WithTimeout(patience).
		WithPolling(20*time.Millisecond).Should(Equal(state), "provisioning state")
}

// moves gives the host another image, or none, and at the same time a key that must not arrive.
func (b *bench) moves(to metal3api.ProvisioningState, image *metal3api.Image) {
	b.Helper()
	film := b.film()
	b.change(func(host *metal3api.BareMetalHost) {
		host.Spec.Image = image
		metav1.SetMetaDataAnnotation(&host.ObjectMeta, keyA, hard)
	})
	film.until(func(h *metal3api.BareMetalHost) bool { return h.Status.Provisioning.State == to })
	if _, kept := film.seen[len(film.seen)-1].Annotations[keyA]; kept {
		b.Errorf("the host became %s with a key from before", to)
	}
}

// conditions of a host whose operator can reach it.
func (b *bench) conditions(ready bool, reason string) {
	b.Helper()
	conditions := b.get().Status.Conditions
	for _, kind := range []string{metal3api.ManageableCondition, metal3api.ProvisionedCondition} {
		if !meta.IsStatusConditionTrue(conditions, kind) {
			b.Errorf("condition %s is not true: %v", kind, meta.FindStatusCondition(conditions, kind))
		}
	}
	got := meta.FindStatusCondition(conditions, metal3api.ReadyCondition)
	if got == nil || (got.Status == metav1.ConditionTrue) != ready || got.Reason != reason {
		b.Errorf("condition Ready is %v, want status %t and reason %s", got, ready, reason)
	}
}

func (b *bench) detach() {
	b.Helper()
	b.annotate(metal3api.DetachedAnnotation, "")
	b.g.Eventually(func() metal3api.OperationalStatus { return b.get().Status.OperationalStatus }).WithTimeout(patience).
		WithPolling(20 * time.Millisecond).Should(Equal(metal3api.OperationalStatusDetached))
}

func (b *bench) delete() {
	b.Helper()
	if err := b.client.Delete(b.ctx, b.get()); err != nil {
		b.Fatalf("deleting the host: %v", err)
	}
}
