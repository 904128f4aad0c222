package remediation

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// slowReader answers when it is released, and numbers its answers.
type slowReader struct {
	client.Reader
	inside, release chan struct{}

	mu    sync.Mutex
	reads int
}

func (s *slowReader) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	s.mu.Lock()
	s.reads++
	n := s.reads
	s.mu.Unlock()
	s.inside <- struct{}{}
	<-s.release
	if n == 3 {
		return errBroken
	}
	obj.SetGeneration(int64(n))
	return nil
}

var errBroken = errors.New("broken on purpose")

// TestSharedReads: all who ask while a read is under way wait for the next one.
func TestSharedReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var shared sharedReads
		live := &slowReader{inside: make(chan struct{}), release: make(chan struct{})}
		got := make(chan int64, 10)
		read := func() {
			obj, err := shared.get(t.Context(), live, client.ObjectKey{Namespace: "ns", Name: "c"}, &clusterv1.Cluster{})
			if err != nil {
				got <- -1
				return
			}
			got <- obj.GetGeneration()
		}
		go read()
		<-live.inside
		for range 5 {
			go read()
		}
		synctest.Wait()
		live.release <- struct{}{}
		if n := <-got; n != 1 {
			t.Errorf("the first got answer %d", n)
		}
		<-live.inside
		go read()
		synctest.Wait()
		live.release <- struct{}{}
		for range 5 {
			if n := <-got; n != 2 {
				t.Errorf("one that waited got answer %d", n)
			}
		}
		<-live.inside
		live.release <- struct{}{}
		if n := <-got; n != -1 {
			t.Errorf("the last got answer %d, want the error", n)
		}
		synctest.Wait()
		if len(shared.rows) > 0 {
			t.Errorf("%d reads are remembered", len(shared.rows))
		}
	})
}

// TestSharedReadsEnd with the one who waits.
func TestSharedReadsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var shared sharedReads
		live := &slowReader{inside: make(chan struct{}), release: make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 3)
		read := func(ctx context.Context) {
			_, err := shared.get(ctx, live, client.ObjectKey{Name: "c"}, &clusterv1.Cluster{})
			done <- err
		}
		go read(t.Context())
		<-live.inside
		go read(t.Context())
		synctest.Wait()
		go read(ctx)
		synctest.Wait()
		stop()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the one who is stopped: %v", err)
		}
		live.release <- struct{}{}
		<-live.inside
		live.release <- struct{}{}
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}
