package golden

import (
	"time"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// reaches waits for a provisioning state.
func (b *bench) reaches(state metal3api.ProvisioningState) {
	b.Helper()
	b.g.Eventually(func() metal3api.ProvisioningState { return b.get().Status.Provisioning.State }).WithTimeout(patience).
		WithPolling(20*time.Millisecond).Should(Equal(state), "provisioning state")
}

// moves changes the host's image, or removes it, and in the same write adds a key that the
// operator must drop.
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

// conditions waits until a host that its operator can reach has these conditions.
func (b *bench) conditions(ready metav1.ConditionStatus, reason string) {
	b.Helper()
	want := map[string]string{
		metal3api.ManageableCondition:  string(metav1.ConditionTrue),
		metal3api.ProvisionedCondition: string(metav1.ConditionTrue),
		metal3api.ReadyCondition:       string(ready) + " " + reason,
	}
	b.g.Eventually(func() map[string]string {
		got := map[string]string{}
		for _, c := range b.get().Status.Conditions {
			switch c.Type {
			case metal3api.ManageableCondition, metal3api.ProvisionedCondition:
				got[c.Type] = string(c.Status)
			case metal3api.ReadyCondition:
				got[c.Type] = string(c.Status) + " " + c.Reason
			}
		}
		return got
	}).WithTimeout(patience).WithPolling(20*time.Millisecond).Should(Equal(want), "conditions")
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
