package healthchecktest

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/looks"
)

const (
	// maxRounds is how many looks an object may take at one moment until its conditions have settled. Two are usual: the
	// second writes nothing.
	maxRounds = 10
	// maxLooks is how many looks each object may take in one Advance.
	maxLooks = 3000
	// usual is how many looks that change nothing come after the usual times.
	usual = 60
	// maxFactor is by how many times periods get longer at most: a second becomes four hours.
	maxFactor = 4 * 3600
	// putOff is how long the engine may put off a look that comes soon after another one, by default.
	putOff = time.Second
	// retry is when a failed run is retried, after the engine's longest back-off.
	retry = 30 * time.Second
)

// Run looks at all objects now, as after an event of each, until their conditions have settled. If they do not settle
// because a check gives another answer each time, the test fails.
func (k *Kit[T]) Run() {
	k.t.Helper()
	for _, key := range k.keys() {
		k.settle(key)
	}
}

// Advance moves the clock forward by d. It looks at each object whenever the engine has asked for it: at a deadline or
// a recheck time, after an interval or the sync period, and 30 seconds after a failed run. It first looks at objects that
// were never looked at, as Run does.
//
// Nothing happens during an Advance but the passing of time. So after 60 looks that have changed nothing, the next ones at
// that object come less and less often: twice as long after the last each time, and every four hours in the end. That concerns
// intervals and the sync period, and not the moments that a result names. The last look comes as close before the end as usual.
//
// At the end, it looks at what is due within a second: the engine puts a look off that comes so soon after another one, and a test that
// advances to a deadline wants to see it.
//
// The test fails after 3000 looks at each object.
func (k *Kit[T]) Advance(d time.Duration) {
	k.t.Helper()
	end := k.Now().Add(d)
	same, factors := map[client.ObjectKey]int{}, map[client.ObjectKey]int{}
	for range maxLooks * len(k.due) {
		key, at, found := k.next()
		if !found || at.After(end) {
			break
		}
		if at.IsZero() {
			k.settle(key)
			continue
		}
		if at.After(k.Now()) {
			k.clock.SetTime(at)
		}
		before := k.state(key)
		k.look(looks.OnTimer(context.Background(), looks.Timer{Factor: factors[key], Left: end.Sub(k.Now())}), key)
		if before != k.state(key) {
			delete(same, key)
			delete(factors, key)
		} else if same[key]++; same[key] > usual {
			factors[key] = min(max(2*factors[key], 2), maxFactor)
		}
	}
	if _, at, found := k.next(); found && !at.After(end) {
		k.t.Fatalf("advancing %s takes too many looks: objects were looked at %d times each in the first %s; advance less, or give the registration and its checks longer periods in this test", d, maxLooks, k.Now().Sub(end.Add(-d)))
	}
	k.clock.SetTime(end)
	k.lookAtPutOff(end)
}

// lookAtPutOff looks at what the engine may have put off to shortly after the end.
func (k *Kit[T]) lookAtPutOff(end time.Time) {
	for _, key := range k.keys() {
		if due := k.due[key]; due.After(end) && due.Before(end.Add(putOff)) {
			k.look(looks.OnTimer(context.Background(), looks.Timer{}), key)
		}
	}
}

// state stands for what the last look at an object has left.
func (k *Kit[T]) state(key client.ObjectKey) string {
	return fmt.Sprint(k.Store.Writes(), k.progress.kept.written(), k.errs[key])
}

// next returns the object that is due first. Objects that wait for an event are not due.
func (k *Kit[T]) next() (first client.ObjectKey, at time.Time, found bool) {
	for _, key := range k.keys() {
		if due := k.due[key]; !due.Equal(never) && (!found || due.Before(at)) {
			first, at, found = key, due, true
		}
	}
	return first, at, found
}

// never is the due time of an object that waits for an event.
var never = time.Unix(1<<40, 0)

// settle runs one object until a run writes nothing.
func (k *Kit[T]) settle(key client.ObjectKey) {
	k.t.Helper()
	for range maxRounds {
		before := k.Store.Writes() + k.progress.kept.written()
		k.look(context.Background(), key)
		if k.Store.Writes()+k.progress.kept.written() == before {
			return
		}
	}
	k.t.Fatalf("the conditions of %s did not settle: each of %d runs has written. They are %+v now", key, maxRounds, k.Store.kept.at(key))
}

// look runs one object once.
func (k *Kit[T]) look(ctx context.Context, key client.ObjectKey) {
	result, err := k.reconciler.Reconcile(ctx, request(key))
	k.errs[key] = err
	switch {
	case err != nil:
		pace, _ := looks.TimerOf(ctx)
		k.due[key] = k.Now().Add(pace.Of(retry))
	case result.RequeueAfter > 0:
		k.due[key] = k.Now().Add(result.RequeueAfter)
	default:
		k.due[key] = never
	}
}

func compare(a, b client.ObjectKey) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
