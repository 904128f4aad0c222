package bench

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// patience is how long a condition may take to appear.
const patience = 3 * time.Minute

// watcher watches the Workers and reports when a condition is stored.
type watcher struct {
	mutex    sync.Mutex
	expected map[expectation]chan time.Time
}

// expectation is the status that a condition should get.
type expectation struct {
	shoot  string
	status gardencorev1beta1.ConditionStatus
}

// look starts the watch. The watch ends with the benchmark, or when the returned function
// is called.
func (w *world) look(b *testing.B) (*watcher, func()) {
	b.Helper()
	watching, err := client.NewWithWatch(w.Config, client.Options{Scheme: w.Scheme})
	must(b, err)
	workers := &extensionsv1alpha1.WorkerList{}
	// Without a version the watch would start with all existing objects.
	must(b, watching.List(b.Context(), workers, client.Limit(1)))
	events, err := watching.Watch(b.Context(), &extensionsv1alpha1.WorkerList{}, &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: workers.ResourceVersion}})
	must(b, err)
	l := &watcher{expected: map[expectation]chan time.Time{}}
	go l.run(events)
	return l, events.Stop
}

func (l *watcher) run(events watch.Interface) {
	for event := range events.ResultChan() {
		at := time.Now()
		worker, ok := event.Object.(*extensionsv1alpha1.Worker)
		if !ok {
			continue
		}
		for _, c := range worker.Status.Conditions {
			if c.Type == conditionType {
				l.seen(expectation{worker.Name, c.Status}, at)
			}
		}
	}
}

func (l *watcher) seen(e expectation, at time.Time) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if stored, ok := l.expected[e]; ok {
		stored <- at
		delete(l.expected, e)
	}
}

// expect must be called before the change.
func (l *watcher) expect(e expectation) <-chan time.Time {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	stored := make(chan time.Time, 1)
	l.expected[e] = stored
	return stored
}

// await returns when the condition has the expected status.
func await(ctx context.Context, e expectation, stored <-chan time.Time) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case at := <-stored:
		return at, nil
	case <-ctx.Done():
		return time.Time{}, fmt.Errorf("condition of %s did not become %s: %w", e.shoot, e.status, ctx.Err())
	}
}
