package healthchecktest

import (
	"cmp"
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// maxRounds is how many looks an object may take at one moment until its conditions have settled. Two are usual:
	// each write is an event.
	maxRounds = 10
	// maxLooks is how many looks each object may take in one Advance: every 30 seconds for a day.
	maxLooks = 3000
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
// a recheck time, after the sync period, and 30 seconds after a failed run. It first looks at objects that were never
// looked at.
//
// The test fails after 3000 looks at each object, which is a day of checks every 30 seconds. For more, such as the
// lifetime of a certificate, leave out the frequent checks, or give the registration a longer SyncPeriod and the checks
// a longer Interval.
func (k *Kit[T]) Advance(d time.Duration) {
	k.t.Helper()
	end := k.Now().Add(d)
	for range maxLooks * len(k.due) {
		key, at, found := k.next()
		if !found || at.After(end) {
			break
		}
		if at.After(k.Now()) {
			k.clock.SetTime(at)
		}
		k.settle(key)
	}
	if _, at, found := k.next(); found && !at.After(end) {
		k.t.Fatalf("advancing %s takes too many looks: objects were looked at %d times each in the first %s; advance less, or give the registration and its checks longer periods in this test", d, maxLooks, k.Now().Sub(end.Add(-d)))
	}
	k.clock.SetTime(end)
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
		k.look(key)
		if k.Store.Writes()+k.progress.kept.written() == before {
			return
		}
	}
	k.t.Fatalf("the conditions of %s did not settle: each of %d runs has written. They are %+v now", key, maxRounds, k.Store.kept.at(key))
}

// look runs one object once.
func (k *Kit[T]) look(key client.ObjectKey) {
	result, err := k.reconciler.Reconcile(context.Background(), request(key))
	k.errs[key] = err
	switch {
	case err != nil:
		k.due[key] = k.Now().Add(retry)
	case result.RequeueAfter > 0:
		k.due[key] = k.Now().Add(result.RequeueAfter)
	default:
		k.due[key] = never
	}
}

func compare(a, b client.ObjectKey) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
