package reboot

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lister lists VolumeAttachments, and counts how often.
type lister struct {
	client.Reader
	lists atomic.Int32
	nodes []string
	// wait holds up a list, and err makes it fail.
	wait chan struct{}
	err  error
}

func (l *lister) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	l.lists.Add(1)
	nodes := l.nodes
	if l.wait != nil {
		<-l.wait
	}
	for _, node := range nodes {
		all := list.(*storagev1.VolumeAttachmentList)
		all.Items = append(all.Items, storagev1.VolumeAttachment{Spec: storagev1.VolumeAttachmentSpec{NodeName: node}})
	}
	return l.err
}

// TestHundredDrains: a hundred cycles that wait for volumes share one list each time, instead of making a hundred.
func TestHundredDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept volumes
		l := &lister{}
		nodes := make([]string, 100)
		for i := range nodes {
			nodes[i] = fmt.Sprint("n", i)
		}
		l.nodes = nodes
		now := noon.Time
		round := func(lists int32, attached bool) {
			t.Helper()
			l.lists.Store(0)
			l.wait = make(chan struct{})
			wrong := atomic.Int32{}
			for _, node := range nodes {
				go func() {
					if got, err := kept.in(client.ObjectKey{Name: "c"}).attached(t.Context(), l, node, now); err != nil || got != attached {
						wrong.Add(1)
					}
				}()
			}
			synctest.Wait()
			close(l.wait)
			synctest.Wait()
			if got := l.lists.Load(); got != lists || wrong.Load() > 0 {
				t.Errorf("%d lists, want %d; %d answers are wrong", got, lists, wrong.Load())
			}
			now = now.Add(lookForNode)
		}
		round(1, true)
		round(1, true)
		// A caller that asked while a list was under way needs another list, to be sure that no volume is left.
		l.nodes = nil
		round(2, false)
	})
}

// TestOldListsProveNothing: a list that began before the call does not prove that no volume is attached.
func TestOldListsProveNothing(t *testing.T) {
	kept := (&volumes{}).in(client.ObjectKey{})
	l := &lister{}
	ask := func(node string, after time.Duration, want bool, lists int32) {
		t.Helper()
		got, err := kept.attached(t.Context(), l, node, noon.Add(after))
		if err != nil || got != want || l.lists.Load() != lists {
			t.Errorf("%s: %t, %v after %d lists; want %t after %d", node, got, err, l.lists.Load(), want, lists)
		}
	}
	ask("a", 0, false, 1)
	l.nodes = []string{"a"}
	ask("a", 0, true, 2)
	ask("a", lookForNode-1, true, 2)
	l.nodes = nil
	ask("b", 0, false, 3)
	ask("a", 0, false, 4)
	l.nodes = []string{"a"}
	ask("a", 0, true, 5)
	ask("a", lookForNode, true, 6)
}

// TestListFails: an error proves nothing, and the next call lists again. A caller with a deadline does not wait for a list
// that hangs.
func TestListFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := (&volumes{}).in(client.ObjectKey{})
		l := &lister{err: errors.New("no")}
		if _, err := kept.attached(t.Context(), l, "a", noon.Time); !errors.Is(err, l.err) {
			t.Errorf("error is %v", err)
		}
		l.err, l.wait = nil, make(chan struct{})
		go func() { _, _ = kept.attached(t.Context(), l, "a", noon.Time) }()
		synctest.Wait()
		hasty, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := kept.attached(hasty, l, "a", noon.Time); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
		close(l.wait)
		if got, err := kept.attached(t.Context(), l, "a", noon.Time); got || err != nil {
			t.Errorf("%t, %v", got, err)
		}
	})
}
