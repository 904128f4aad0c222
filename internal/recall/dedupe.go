package recall

import (
	"maps"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	firstRetry = 5 * time.Second
	lastRetry  = 5 * time.Minute
)

// Dedupe remembers failures by object and subject, so that the same failure is reported once, and retried less and less often.
// The zero value is ready to use and safe for concurrent use.
type Dedupe[S comparable] struct {
	mu sync.Mutex
	of map[client.ObjectKey]map[S]Failure
}

// Failure is something that could not be done.
type Failure struct {
	// Count is how often it has failed in a row.
	Count int
	// RetryAt is when to try again, after a pause that doubles each time.
	RetryAt time.Time
	text    string
}

// Fail records a failure, and reports whether it is news: the first one, or one with another text than the last.
func (d *Dedupe[S]) Fail(key client.ObjectKey, subject S, text string, now time.Time) (news bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of == nil {
		d.of = map[client.ObjectKey]map[S]Failure{}
	}
	if d.of[key] == nil {
		d.of[key] = map[S]Failure{}
	}
	last, failed := d.of[key][subject]
	pause := firstRetry << min(last.Count, 10)
	d.of[key][subject] = Failure{Count: last.Count + 1, RetryAt: now.Add(min(pause, lastRetry)), text: text}
	return !failed || last.text != text
}

// Succeed forgets a failure, and reports whether there was one.
func (d *Dedupe[S]) Succeed(key client.ObjectKey, subject S) (news bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, failed := d.of[key][subject]
	delete(d.of[key], subject)
	return failed
}

// Failures returns the failures that are still interesting, and forgets the others.
func (d *Dedupe[S]) Failures(key client.ObjectKey, interesting func(S) bool) map[S]Failure {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.of[key], func(subject S, _ Failure) bool { return !interesting(subject) })
	return maps.Clone(d.of[key])
}

// Forget drops the failures of an object that is gone.
func (d *Dedupe[S]) Forget(key client.ObjectKey) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.of, key)
}
