package golden

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// steps is how many random events happen to a pair of twins. After each, they must be alike for stable.
const (
	steps  = 30
	stable = 250 * time.Millisecond
)

// Twins applies the same random events to two hosts with different operators. After each event, both
// must reach the same state. It finds what nobody wrote a case for.
func Twins(t *testing.T, one, other Stand, seed uint64) {
	t.Helper()
	twins := []*bench{newBench(t, one), newBench(t, other)}
	for _, twin := range twins {
		twin.running()
	}
	random := rand.New(rand.NewPCG(seed, seed))
	var past []string
	for range steps {
		name, change := event(random)
		past = append(past, name)
		for _, twin := range twins {
			twin.change(change)
		}
		settle(twins, past)
	}
}

// settle waits until two hosts have been alike for a while. Being alike for a moment means little,
// because one may be about to change.
func settle(twins []*bench, past []string) {
	twins[0].Helper()
	var sights []string
	since := time.Now()
	twins[0].g.Eventually(func(g Gomega) {
		now := []string{twins[0].sight(), twins[1].sight()}
		if !slices.Equal(now, sights) {
			sights, since = now, time.Now()
		}
		g.Expect(now[0]).To(Equal(now[1]), "after %s", strings.Join(past, ", "))
		g.Expect(time.Since(since)).To(BeNumerically(">", stable))
	}).WithTimeout(patience).WithPolling(20 * time.Millisecond).Should(Succeed())
}

// event returns a random change to a host: an annotation is added or removed, or spec.online changes.
func event(random *rand.Rand) (string, func(*metal3api.BareMetalHost)) {
	if random.IntN(6) == 0 {
		on := random.IntN(3) > 0
		return fmt.Sprintf("online %t", on), func(h *metal3api.BareMetalHost) { h.Spec.Online = on }
	}
	keys := []string{plain, keyA, keyB, metal3api.PausedAnnotation, metal3api.DetachedAnnotation}
	values := []string{"", hard, `{"mode":"soft"}`, "not json"}
	key, value := keys[random.IntN(len(keys))], values[random.IntN(len(values))]
	if random.IntN(2) == 0 {
		return "no " + key, func(h *metal3api.BareMetalHost) { delete(h.Annotations, key) }
	}
	return key + "=" + value, func(h *metal3api.BareMetalHost) { metav1.SetMetaDataAnnotation(&h.ObjectMeta, key, value) }
}

// sight returns everything that a client can see of a host and act on.
func (b *bench) sight() string {
	b.Helper()
	host := b.get()
	return fmt.Sprintf("on=%t %s %s errors=%d %v", host.Status.PoweredOn, host.Status.Provisioning.State,
		host.Status.OperationalStatus, host.Status.ErrorCount, slices.Sorted(maps.Keys(host.Annotations)))
}
