package remediation

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

const (
	// batchSize is how many are looked at in one batch, and batchReads how many reads each of them may cost before its mark, that of its Node
	// included.
	batchSize, batchReads = 20, 1.5
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
	for _, r := range f.batches.lanes {
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
