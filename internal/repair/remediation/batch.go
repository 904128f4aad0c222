package remediation

import (
	"context"
	"errors"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const (
	// batchFills is how long a batch that follows one of several waits for more, and how long after that one another follows it: in a storm, each
	// batch costs as many requests as one record alone. A record on its own never waits.
	batchFills = 200 * time.Millisecond
	// batchFull is how many do not wait for more.
	batchFull = 20
)

// batches lets records that are looked at side by side share the reads of what they have in common. Nobody gets an answer from a read
// that began before they asked: a caller that comes while a batch is read waits for the next one. The zero value is ready to use.
type batches struct {
	mu    sync.Mutex
	lanes map[batchKey]*lane
}

// batchKey names what the records of a batch have in common.
type batchKey struct {
	cluster, healthCheck client.ObjectKey
	// plan has no name if there is none.
	plan client.ObjectKey
	// limited reports that the number of repairs in flight is limited, so that all open records of the cluster count.
	limited bool
}

// lane is the batch that is being read, or was read last, and the one that fills meanwhile.
type lane struct{ reading, next *batch }

// batch is one read for several records.
type batch struct {
	// size is how many share it, and records are those that want to be read themselves.
	size    int
	records []*v1alpha1.MachineRemediation
	// full is closed when nobody waits for more, and done when it was read.
	full, done chan struct{}
	found      common
	err        error
}

// read returns what the batch of a record reads, the record itself included unless it is nil. The first of a batch reads for all. The
// caller must not change what others share.
func (b *batches) read(ctx context.Context, of batchKey, record *v1alpha1.MachineRemediation, read func([]*v1alpha1.MachineRemediation) (common, error)) (common, error) {
	mine, before, first := b.join(of, record)
	if !first {
		select {
		case <-mine.done:
			return mine.found, mine.err
		case <-ctx.Done():
			return common{}, context.Cause(ctx)
		}
	}
	defer b.leave(of, mine)
	if before != nil {
		<-before.done
		if before.size > 1 {
			mine.fill(ctx)
		}
		b.close(of, mine)
	}
	mine.found, mine.err = read(mine.records)
	return mine.found, mine.err
}

func newBatch() *batch {
	return &batch{full: make(chan struct{}), done: make(chan struct{}), err: errNoAnswer}
}

// fill waits for more records.
func (b *batch) fill(ctx context.Context) {
	waiting, stop := context.WithTimeout(ctx, batchFills)
	defer stop()
	select {
	case <-b.full:
	case <-waiting.Done():
	}
}

// errNoAnswer is the error of a batch whose read ends by a panic.
var errNoAnswer = errors.New("the read had no answer")

// join adds a record to the batch that fills. The first record of a batch also gets the one before, which must be done first.
func (b *batches) join(of batchKey, record *v1alpha1.MachineRemediation) (mine, before *batch, first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lanes == nil {
		b.lanes = map[batchKey]*lane{}
	}
	l := b.lanes[of]
	switch {
	case l == nil:
		mine, first = newBatch(), true
		b.lanes[of] = &lane{reading: mine}
	case l.next == nil:
		mine, before, first = newBatch(), l.reading, true
		l.next = mine
	default:
		mine = l.next
	}
	if mine.size++; mine.size == batchFull {
		close(mine.full)
	}
	if record != nil {
		mine.records = append(mine.records, record)
	}
	return mine, before, first
}

// close ends the filling of a batch, since its reads begin.
func (b *batches) close(of batchKey, mine *batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lanes[of] = &lane{reading: mine}
}

// leave ends a batch. One of several is remembered for a while, so that the next one waits for more.
func (b *batches) leave(of batchKey, mine *batch) {
	close(mine.done)
	if mine.size == 1 {
		b.forget(of, mine)
		return
	}
	time.AfterFunc(batchFills, func() { b.forget(of, mine) })
}

// forget drops a batch that none has followed.
func (b *batches) forget(of batchKey, over *batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.lanes[of]; l != nil && l.reading == over && l.next == nil {
		delete(b.lanes, of)
	}
}
