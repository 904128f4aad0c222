package reboot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// sluggish are workload clusters of which some do not answer until they are released, even if the reader has a deadline.
type sluggish struct {
	workload.Writer
	answers map[string]chan struct{}

	mu sync.Mutex
	// inside counts the readers of each cluster, and most is the most there were at once.
	inside, most map[string]int
}

// GetLive implements workload.Writer.
func (s *sluggish) GetLive(_ context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	s.enter(cluster.Name, 1)
	defer s.enter(cluster.Name, -1)
	<-s.answers[cluster.Name]
	return build.Node(name), nil
}

func (s *sluggish) enter(cluster string, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inside[cluster] += by
	s.most[cluster] = max(s.most[cluster], s.inside[cluster])
}

// TestClustersApart: a hundred hosts are to be cycled at once. One workload cluster hangs, one is slow, and the cycles of the third begin
// as if it were alone. No cluster keeps more than a quarter of the workers.
func TestClustersApart(t *testing.T) {
	const fast, slow, hangs, each, workers = "fast", "slow", "hangs", 34, 8
	e := env.Get(t)
	p := &plane{T: t, e: e, ns: e.Namespace(t)}
	for i := range each {
		for _, cluster := range []string{hangs, slow, fast} {
			name := fmt.Sprint(cluster, "-", i)
			p.join(name, build.InCluster(cluster))
			p.ask(name)
		}
	}
	clusters := &sluggish{inside: map[string]int{}, most: map[string]int{}, answers: map[string]chan struct{}{
		fast: make(chan struct{}), slow: make(chan struct{}), hangs: make(chan struct{}),
	}}
	close(clusters.answers[fast])
	e.Manager(t, env.ManagerOptions{Namespaces: []string{p.ns}, Setup: func(mgr ctrl.Manager) error {
		r := &Reconciler{Kind: ClusterAPIKind, Workload: clusters, Recorder: &events.FakeRecorder{}, SyncPeriod: time.Hour, Concurrency: workers}
		return r.AddToManager(mgr)
	}})
	// The manager stops when no worker hangs any more.
	t.Cleanup(func() { close(clusters.answers[hangs]) })
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(time.Minute)
	begun := func(cluster string) func() int {
		return func() int {
			var all v1alpha1.RebootRemediationList
			g.Expect(e.Client.List(t.Context(), &all, client.InNamespace(p.ns))).To(Succeed())
			count := 0
			for i := range all.Items {
				if s := all.Items[i].Status; s.Phase == v1alpha1.PoweringOff && s.KeySince != nil && strings.HasPrefix(all.Items[i].Name, cluster) {
					count++
				}
			}
			return count
		}
	}
	g.Eventually(begun(fast)).Should(Equal(each), "while two clusters answer nothing at all")
	g.Expect(begun(slow)()+begun(hangs)()).To(BeZero(), "without having read its Node, no cycle begins")
	close(clusters.answers[slow])
	g.Eventually(begun(slow)).Should(Equal(each), "while one hangs")
	g.Expect(begun(hangs)()).To(BeZero())
	clusters.mu.Lock()
	defer clusters.mu.Unlock()
	for cluster, most := range clusters.most {
		if most > workers/4 {
			t.Errorf("%d workers were busy with cluster %s", most, cluster)
		}
	}
}

// TestClusterPlace: a Reconcile keeps its place in a workload cluster until it gives it up, and then the next one gets in.
func TestClusterPlace(t *testing.T) {
	places, cluster := &workload.Places{Most: 1}, client.ObjectKey{Name: "c"}
	first, second := &clusterPlace{places: places}, &clusterPlace{places: places}
	for range 3 {
		if err := first.take(cluster); err != nil {
			t.Fatal(err)
		}
		if err := second.take(cluster); !errors.Is(err, workload.ErrNoPlace) {
			t.Errorf("the second one: %v", err)
		}
	}
	second.giveUp()
	if err := second.take(cluster); !errors.Is(err, workload.ErrNoPlace) {
		t.Errorf("the second one, who was never in: %v", err)
	}
	first.giveUp()
	if err := second.take(cluster); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
