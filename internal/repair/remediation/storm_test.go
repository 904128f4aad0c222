package remediation

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

const (
	// stormSize is how many machines of one MachineHealthCheck fall sick at once.
	stormSize = 40
	// batchSize is how many are looked at in one batch, and batchReads how many reads each of them may cost before its mark, that of its Node
	// included.
	batchSize, batchReads = 20, 1.5
	// stormReads is how many it may cost in all. On a busy computer, batches are small; one more read for each machine is still too many.
	stormReads = 2
	// stormEvents are the verdict and the beginning of the repair.
	stormEvents = 2
)

// TestBatchCosts: what machines have in common is read for many of them at once, and what a write tests is not read before it.
func TestBatchCosts(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	var sick []*v1alpha1.MachineRemediation
	for i := range batchSize {
		sick = append(sick, f.admit(f.sick(fmt.Sprint("m", i))))
	}
	asked := &counting{Reader: f.env.Client}
	f.Live = gathering{asked, f.gathered}
	f.Observer.Nodes = countedNodes{f.nodes, func() { asked.note("Node") }}
	f.writes.since()
	var all errgroup.Group
	for _, record := range sick {
		all.Go(func() error {
			_, err := f.once(t.Context(), record)
			return err
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, record := range sick {
		f.wantRecord(record, acting)
	}
	reads, writes := asked.sorted(), f.writes.since()
	if n := float64(len(reads)) / batchSize; n > batchReads {
		t.Errorf("%.2f reads for each machine, want at most %.1f: %q", n, batchReads, reads)
	}
	if n := float64(len(writes)) / batchSize; n > 2 {
		t.Errorf("%.2f writes for each machine, want its mark and the status of its record: %q", n, writes)
	}
}

// gathered reports whether all others wait for the batch after the first.
func (f *harness) gathered() bool {
	f.batches.mu.Lock()
	defer f.batches.mu.Unlock()
	for _, r := range f.batches.rows {
		return r.reading.size > 1 || r.next != nil && r.next.size == batchSize-1
	}
	return true
}

// gathering is a reader that lets the first batch be read once all others have gathered.
type gathering struct {
	client.Reader
	gathered func() bool
}

// Get implements client.Reader.
func (g gathering) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if _, ok := obj.(*clusterv1.Cluster); ok {
		err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(context.Context) (bool, error) { return g.gathered(), nil })
		if err != nil {
			return fmt.Errorf("waiting for the batch: %w", err)
		}
	}
	return g.Reader.Get(ctx, key, obj, opts...)
}

// TestStormCosts: the same with a manager, from the fault to the mark, in all controllers together.
func TestStormCosts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		opts []build.MachineHealthCheckOption
		// writes are the verdict, the record, the mark, and what the record says of it; with a limit, also until when it may take. The end of the
		// record takes two more. The status of the MachineHealthCheck is for all of them together.
		writes float64
	}{
		"unlimited": {nil, 4},
		"limited":   {[]build.MachineHealthCheckOption{build.Annotation(mhcspec.MaxInFlightAnnotation, "100%")}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storm := newStorm(t, append(tt.opts, build.Annotation(mhcspec.DryRunAnnotation, "true"))...)
			storm.breaks(storm.well())
			g := NewWithT(t)
			g.Eventually(storm.judged(metav1.ConditionFalse), patience).Should(Equal(stormSize))
			unannotate(storm.harness, storm.mhc, mhcspec.DryRunAnnotation)
			g.Eventually(storm.repairsBegun, patience).Should(Equal(stormSize))
			g.Eventually(func() float64 { return storm.each("event") }, patience).Should(Equal(float64(stormEvents)))
			t.Logf("for each machine: %s", storm)
			if n := storm.each("read"); n > stormReads {
				t.Errorf("%.2f reads for each machine", n)
			}
			if n := storm.each("write") - storm.each("write PATCH machinehealthchecks"); n > tt.writes {
				t.Errorf("%.2f writes for each machine, want at most %g", n, tt.writes)
			}
		})
	}
}

// storm counts what the controllers ask of the API server and of the workload cluster.
type storm struct {
	*harness

	mu     sync.Mutex
	counts map[string]int
}

func newStorm(t *testing.T, opts ...build.MachineHealthCheckOption) *storm {
	t.Helper()
	f := newHarness(t, append([]build.MachineHealthCheckOption{build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 0)}, opts...)...)
	s := &storm{harness: f, counts: map[string]int{}}
	counted := *f.env
	counted.Config = rest.CopyConfig(f.env.Config)
	counted.Config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &meter{next, s} })
	counted.Manager(t, env.ManagerOptions{
		Namespaces: []string{f.ns},
		Setup: func(mgr ctrl.Manager) error {
			return f.addAll(mgr, countedNodes{f.nodes, func() { s.asked("read nodes") }}, stormSize)
		},
	})
	return s
}

// well stores machines whose Nodes are well, waits for their verdicts, and begins to count.
func (s *storm) well() []*clusterv1.Machine {
	s.t.Helper()
	var machines []*clusterv1.Machine
	for i := range stormSize {
		name := fmt.Sprint("m", i)
		s.nodes.Put(s.clusterKey(), build.Node(name))
		machine := build.Machine(s.ns, name, build.OwnedBy(s.set), build.NodeRef(name), build.Condition("Disk", metav1.ConditionTrue, "Fine", build.Epoch))
		build.Create(s.t.Context(), s.t, s.env.Client, machine)
		machines = append(machines, machine)
	}
	NewWithT(s.t).Eventually(s.judged(metav1.ConditionTrue), patience).Should(Equal(stormSize))
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.counts)
	return machines
}

// judged counts the machines with a verdict.
func (s *storm) judged(verdict metav1.ConditionStatus) func() int {
	return func() int {
		var list clusterv1.MachineList
		if err := s.env.Client.List(s.t.Context(), &list, client.InNamespace(s.ns)); err != nil {
			s.t.Fatal(err)
		}
		n := 0
		for i := range list.Items {
			if meta.IsStatusConditionPresentAndEqual(list.Items[i].Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition, verdict) {
				n++
			}
		}
		return n
	}
}

// breaks breaks the disks of Machines.
func (s *storm) breaks(machines []*clusterv1.Machine) {
	var all sync.WaitGroup
	for _, machine := range machines {
		all.Go(func() {
			changeStatus(s.harness, machine, func(m *clusterv1.Machine) {
				meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{Type: "Disk", Status: metav1.ConditionFalse, Reason: "Test"})
			})
		})
	}
	all.Wait()
}

// repairsBegun counts the machines whose records say that they are marked.
func (s *storm) repairsBegun() int {
	var list v1alpha1.MachineRemediationList
	if err := s.env.Client.List(s.t.Context(), &list, client.InNamespace(s.ns)); err != nil {
		s.t.Fatal(err)
	}
	begun := 0
	for i := range list.Items {
		if attempt := ladder.AtWork(&list.Items[i]); attempt != nil && attempt.ObjectRef != nil {
			begun++
		}
	}
	return begun
}

// asked counts a request of a kind, such as "read clusters".
func (s *storm) asked(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[kind]++
}

// each returns how many requests that begin with a word were made for each machine.
func (s *storm) each(word string) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for kind, count := range s.counts {
		if kind == word || strings.HasPrefix(kind, word+" ") {
			n += count
		}
	}
	return float64(n) / stormSize
}

func (s *storm) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	each := map[string]float64{}
	for kind, n := range s.counts {
		each[kind] = float64(n) / stormSize
	}
	return fmt.Sprint(each)
}

// meter counts requests on their way to the API server. Watches do not count.
type meter struct {
	next  http.RoundTripper
	storm *storm
}

// RoundTrip implements http.RoundTripper.
func (m *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	_, of, _ := strings.Cut(r.URL.Path, "/namespaces/"+m.storm.ns+"/")
	resource, _, _ := strings.Cut(of, "/")
	switch {
	case r.URL.Query().Get("watch") != "", resource == "":
	case resource == "events":
		m.storm.asked("event " + r.Method)
	case r.Method == http.MethodGet && path.Base(r.URL.Path) == resource:
		m.storm.asked("read list of " + resource)
	case r.Method == http.MethodGet:
		m.storm.asked("read " + resource)
	default:
		m.storm.asked("write " + r.Method + " " + resource)
	}
	return m.next.RoundTrip(r)
}

// countedNodes counts the reads of Nodes past the cache.
type countedNodes struct {
	workload.Nodes
	count func()
}

// GetLive implements workload.Nodes.
func (c countedNodes) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	c.count()
	return c.Nodes.GetLive(ctx, cluster, name)
}
