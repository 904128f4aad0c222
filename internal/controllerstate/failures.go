package controllerstate

import (
	"maps"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	firstRetry = 5 * time.Second
	lastRetry  = 5 * time.Minute
)

// Failure is something that could not be done. Each is reported once, and retried less and less often.
type Failure struct {
	// Count is how often it has failed in a row.
	Count int
	// RetryAt is when to try again, after a pause that doubles each time.
	RetryAt time.Time
	text    string
}

// Fail records a failure by object and subject, and reports whether it is news: the first one, or one with another text than the last.
func (m *Memory[V]) Fail(key client.ObjectKey, subject, text string, now time.Time) (news bool) {
	m.with(key, func(one *memory[V]) {
		if one.failures == nil {
			one.failures = map[string]Failure{}
		}
		last, failed := one.failures[subject]
		pause := firstRetry << min(last.Count, 10)
		one.failures[subject] = Failure{Count: last.Count + 1, RetryAt: now.Add(min(pause, lastRetry)), text: text}
		news = !failed || last.text != text
	})
	return news
}

// Succeed forgets a failure, and reports whether there was one.
func (m *Memory[V]) Succeed(key client.ObjectKey, subject string) (news bool) {
	m.with(key, func(one *memory[V]) {
		_, news = one.failures[subject]
		delete(one.failures, subject)
	})
	return news
}

// Failures returns the failures that are still interesting, by subject, and forgets the others.
func (m *Memory[V]) Failures(key client.ObjectKey, interesting func(subject string) bool) (all map[string]Failure) {
	m.with(key, func(one *memory[V]) {
		maps.DeleteFunc(one.failures, func(subject string, _ Failure) bool { return !interesting(subject) })
		all = maps.Clone(one.failures)
	})
	return all
}
