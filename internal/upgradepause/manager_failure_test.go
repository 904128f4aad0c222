package upgradepause

import (
	"fmt"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// TestManagerOneFailureStopsNoOther: a failure for one object delays no other, in any namespace, and is
// retried until it succeeds.
func TestManagerOneFailureStopsNoOther(t *testing.T) {
	s := newStage(t)
	namespaces := map[string]cache.Config{}
	for range 5 {
		namespaces[s.env.Namespace(t)] = cache.Config{}
	}
	for ns := range namespaces {
		for _, kind := range bothKinds {
			for i := range 3 {
				s.Expect(s.env.Client.Create(t.Context(), newCheck(kind, ns, fmt.Sprintf("mhc-%d", i)))).To(Succeed())
			}
		}
	}
	s.ns = s.env.Namespace(t)
	for _, kind := range bothKinds {
		s.check(kind, "bad", nil)
	}
	namespaces[s.ns] = cache.Config{}
	var broken atomic.Bool
	s.run(s.env.Config, func(o *ctrl.Options) {
		o.Cache.DefaultNamespaces = namespaces
		o.NewClient = func(config *rest.Config, options client.Options) (client.Client, error) {
			return newPatching(config, options, func(obj client.Object) error {
				if broken.Load() {
					return refuse("bad")(obj)
				}
				return nil
			})
		}
	})
	paused := func() int { return s.howManyPaused(namespaces) }
	all, good := 32, 30

	cv := newOpenshift(t, s.env)
	s.Expect(s.installed.Set()).To(Succeed())
	broken.Store(true)
	cv.begin(t, "4.17.3", noon)
	s.Eventually(paused).Should(Equal(good))
	for _, kind := range bothKinds {
		s.Expect(s.annotations(kind, "bad")()).To(BeEmpty())
	}
	broken.Store(false)
	s.Eventually(paused).Should(Equal(all))

	broken.Store(true)
	cv.end(t)
	s.Eventually(paused).Should(Equal(all - good))
	broken.Store(false)
	s.Eventually(paused).Should(BeZero())
}

// howManyPaused counts the MachineHealthChecks of both kinds that are marked as paused by us.
func (s *stage) howManyPaused(namespaces map[string]cache.Config) int {
	s.t.Helper()
	n := 0
	for _, kind := range bothKinds {
		var list metav1.PartialObjectMetadataList
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		s.Expect(s.env.Client.List(s.t.Context(), &list)).To(Succeed())
		for i := range list.Items {
			if _, ok := namespaces[list.Items[i].Namespace]; ok && pause.Ours(list.Items[i].Annotations) {
				n++
			}
		}
	}
	return n
}
