package controllerstate

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

// Failures remembers failures by object and subject, so that each is reported once, and retried less and less often.
// The zero value is ready to use and safe for concurrent use.
type Failures[S comparable] struct {
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
func (f *Failures[S]) Fail(key client.ObjectKey, subject S, text string, now time.Time) (news bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of == nil {
		f.of = map[client.ObjectKey]map[S]Failure{}
	}
	if f.of[key] == nil {
		f.of[key] = map[S]Failure{}
	}
	last, failed := f.of[key][subject]
	pause := firstRetry << min(last.Count, 10)
	f.of[key][subject] = Failure{Count: last.Count + 1, RetryAt: now.Add(min(pause, lastRetry)), text: text}
	return !failed || last.text != text
}

// Succeed forgets a failure, and reports whether there was one.
func (f *Failures[S]) Succeed(key client.ObjectKey, subject S) (news bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, failed := f.of[key][subject]
	delete(f.of[key], subject)
	return failed
}

// Of returns the failures that are still interesting, and forgets the others.
func (f *Failures[S]) Of(key client.ObjectKey, interesting func(S) bool) map[S]Failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.of[key], func(subject S, _ Failure) bool { return !interesting(subject) })
	return maps.Clone(f.of[key])
}

// Forget drops the failures of an object that is gone.
func (f *Failures[S]) Forget(key client.ObjectKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.of, key)
}
