package remediation

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

var errBroken = errors.New("broken on purpose")

// batchTest has records ask for what they have in common. The reads end when the test lets them.
type batchTest struct {
	batches batches
	// begun has the number of records of each batch, when its reads begin.
	begun   chan int
	release chan error
	reads   int64
	got     chan answer
}

// answer is the number of the read that a record got.
type answer struct {
	read int64
	err  error
}

func newBatchTest() *batchTest {
	return &batchTest{begun: make(chan int), release: make(chan error), got: make(chan answer, 2*batchFull)}
}

func (b *batchTest) ask(ctx context.Context) {
	found, err := b.batches.read(ctx, batchKey{}, &v1alpha1.MachineRemediation{}, func(records []*v1alpha1.MachineRemediation) (common, error) {
		b.reads++
		n := b.reads
		b.begun <- len(records)
		err := <-b.release
		return common{cluster: &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Generation: n}}}, err
	})
	if err != nil {
		b.got <- answer{err: err}
		return
	}
	b.got <- answer{read: found.cluster.Generation}
}

// wantBatch waits until a read begins, and asserts for how many records.
func (b *batchTest) wantBatch(t *testing.T, size int) {
	t.Helper()
	if got := <-b.begun; got != size {
		t.Errorf("a batch of %d, want %d", got, size)
	}
}

func (b *batchTest) wantAnswers(t *testing.T, n int, want answer) {
	t.Helper()
	for range n {
		if got := <-b.got; got.read != want.read || !errors.Is(got.err, want.err) {
			t.Errorf("answer %+v, want %+v", got, want)
		}
	}
}

// TestBatches: all who ask while a batch is read share the next one, and nobody gets an answer from a read that began before.
func TestBatches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBatchTest()
		go b.ask(t.Context())
		b.wantBatch(t, 1)
		for range 5 {
			go b.ask(t.Context())
		}
		synctest.Wait()
		before := time.Now()
		b.release <- nil
		b.wantAnswers(t, 1, answer{read: 1})
		b.wantBatch(t, 5)
		if waited := time.Since(before); waited != 0 {
			t.Errorf("those who come after one alone wait for %s", waited)
		}
		go b.ask(t.Context())
		synctest.Wait()
		b.release <- nil
		b.wantAnswers(t, 5, answer{read: 2})
		go b.ask(t.Context())
		b.wantBatch(t, 2)
		if waited := time.Since(before); waited != batchFills {
			t.Errorf("those who come after several wait for %s", waited)
		}
		for range batchFull {
			go b.ask(t.Context())
		}
		synctest.Wait()
		before = time.Now()
		b.release <- errBroken
		b.wantAnswers(t, 2, answer{err: errBroken})
		b.wantBatch(t, batchFull)
		if waited := time.Since(before); waited != 0 {
			t.Errorf("a full batch waits for %s", waited)
		}
		b.release <- nil
		b.wantAnswers(t, batchFull, answer{read: 4})
		synctest.Wait()

		before = time.Now()
		for range 2 {
			go b.ask(t.Context())
		}
		b.wantBatch(t, 2)
		if waited := time.Since(before); waited != batchFills {
			t.Errorf("those who come soon after a batch of several wait for %s", waited)
		}
		b.release <- nil
		b.wantAnswers(t, 2, answer{read: 5})
		<-time.After(batchFills)
		synctest.Wait()
		if n := len(b.batches.lanes); n > 0 {
			t.Errorf("%d batches are remembered", n)
		}
	})
}

// TestBatchesEnd with the one who waits.
func TestBatchesEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBatchTest()
		ctx, stop := context.WithCancel(t.Context())
		go b.ask(t.Context())
		b.wantBatch(t, 1)
		go b.ask(t.Context())
		synctest.Wait()
		go b.ask(ctx)
		synctest.Wait()
		stop()
		b.wantAnswers(t, 1, answer{err: context.Canceled})
		b.release <- nil
		b.wantBatch(t, 2)
		b.release <- nil
		b.wantAnswers(t, 1, answer{read: 1})
		b.wantAnswers(t, 1, answer{read: 2})
	})
}

// TestBatchesOfAStorm: in a storm, whose records come one after the other, a batch costs each of them little.
func TestBatchesOfAStorm(t *testing.T) {
	t.Parallel()
	const records, every, reading, most = 1000, 20 * time.Millisecond, 15 * time.Millisecond, 0.15
	synctest.Test(t, func(t *testing.T) {
		var b batches
		var reads atomic.Int64
		var all sync.WaitGroup
		for range records {
			all.Go(func() {
				_, _ = b.read(t.Context(), batchKey{}, nil, func([]*v1alpha1.MachineRemediation) (common, error) {
					reads.Add(1)
					<-time.After(reading)
					return common{}, nil
				})
			})
			<-time.After(rand.N(2 * every))
		}
		all.Wait()
		if n := float64(reads.Load()) / records; n > most {
			t.Errorf("%.2f batches for each record, want at most %.2f", n, most)
		}
	})
}

func TestDepthFor(t *testing.T) {
	tests := map[string]struct {
		decision ladder.Decision
		missed   bool
		want     depth
	}{
		"nothing":            {ladder.Decision{}, false, cached},
		"a status":           {ladder.Decision{Store: true}, false, confirmed},
		"mark":               {ladder.Decision{Act: ladder.MarkForOwner}, false, bound},
		"mark again":         {ladder.Decision{Act: ladder.MarkForOwner}, true, judged},
		"deletion":           {ladder.Decision{Act: ladder.DeleteMachine}, false, judged},
		"reboot":             {ladder.Decision{Act: ladder.CreateReboot}, false, judged},
		"request":            {ladder.Decision{Act: ladder.CreateRequest}, false, judged},
		"mark taken back":    {ladder.Decision{Act: ladder.WithdrawMark}, false, current},
		"request taken back": {ladder.Decision{Act: ladder.WithdrawRequest}, false, current},
		"end":                {ladder.Decision{Act: ladder.Close}, false, cached},
	}
	for name, tt := range tests {
		if got := depthFor(tt.decision, tt.missed); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

func TestPasses(t *testing.T) {
	var p passes
	now, a, b := build.Epoch, client.ObjectKey{Name: "a"}, client.ObjectKey{Name: "b"}
	for i, tt := range []struct {
		cluster client.ObjectKey
		wanted  bool
		after   time.Duration
		run     bool
		wait    time.Duration
	}{
		{a, false, 0, false, 0},
		{a, true, 0, false, passPause},
		{a, true, time.Second, false, 0}, // one comes already
		{b, true, time.Second, false, passPause},
		{a, false, passPause - time.Nanosecond, false, 0},
		{a, false, passPause, true, 0},
		{a, false, passPause, false, 0},
		{a, true, passPause, false, passPause},
		{b, true, 2 * passPause, true, 0},
	} {
		if run, wait := p.ask(tt.cluster, tt.wanted, now.Add(tt.after)); run != tt.run || wait != tt.wait {
			t.Errorf("%d: run %t, wait %s; want %t, %s", i, run, wait, tt.run, tt.wait)
		}
	}
	p.Set(b, now)
	if run, _ := p.ask(b, false, now); !run {
		t.Error("what was planned is not run")
	}
}
