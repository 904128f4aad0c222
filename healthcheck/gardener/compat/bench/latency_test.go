package bench

import (
	"context"
	"sync"
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
)

// oneByOne breaks the Deployments of many shoots and then repairs them. Each change follows
// when the condition shows the one before.
func oneByOne(b *testing.B, w *world, eyes *watcher) []time.Duration {
	b.Helper()
	const shoots = 100
	var latencies []time.Duration
	for _, available := range []bool{false, true} {
		for _, shoot := range w.some(shoots) {
			took, err := w.latency(b.Context(), eyes, shoot, available)
			must(b, err)
			latencies = append(latencies, took)
		}
	}
	return latencies
}

// spread breaks a few Deployments at moments that are spread over the period, and waits for
// all together: a library that polls needs most of a period for each.
func spread(b *testing.B, w *world, eyes *watcher) []time.Duration {
	b.Helper()
	const shoots = 20
	var (
		latencies = make([]time.Duration, shoots)
		errs      = make([]error, shoots)
		wait      sync.WaitGroup
	)
	for i, shoot := range w.some(shoots) {
		wait.Go(func() {
			pause(b.Context(), period*time.Duration(i)/shoots)
			latencies[i], errs[i] = w.latency(b.Context(), eyes, shoot, false)
		})
	}
	wait.Wait()
	for _, err := range errs {
		must(b, err)
	}
	return latencies
}

// latency changes a Deployment and waits for the condition. It measures from before the API
// server has the change until a watch shows the condition.
func (w *world) latency(ctx context.Context, eyes *watcher, shoot string, available bool) (time.Duration, error) {
	e := expectation{shoot, gardencorev1beta1.ConditionFalse}
	if available {
		e.status = gardencorev1beta1.ConditionTrue
	}
	stored := eyes.expect(e)
	began := time.Now()
	if err := w.change(ctx, shoot, available); err != nil {
		return 0, err
	}
	at, err := await(ctx, e, stored)
	return at.Sub(began), err
}
