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

// Dedupe remembers what has failed, by object and by what of it was tried, so that people are told the same words once, and that
// it is tried less and less often. The zero value is ready; it is safe for concurrent use.
type Dedupe[S comparable] struct {
	mu sync.Mutex
	of map[client.ObjectKey]map[S]Failure
}

// Failure is what could not be done.
type Failure struct {
	// Count is how often it has failed in a row.
	Count int
	// RetryAt is when it may be tried again, after a pause that doubles each time.
	RetryAt time.Time
	text    string
}

// Fail remembers that something could not be done, and reports whether that is news: the text is another than the last time.
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

// Failures returns those that still are of interest; the others are forgotten.
func (d *Dedupe[S]) Failures(key client.ObjectKey, interesting func(S) bool) map[S]Failure {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.of[key], func(subject S, _ Failure) bool { return !interesting(subject) })
	return maps.Clone(d.of[key])
}

// Forget drops what is kept for an object that is gone.
func (d *Dedupe[S]) Forget(key client.ObjectKey) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.of, key)
}
