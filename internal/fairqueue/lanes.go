package fairqueue

import "k8s.io/client-go/util/workqueue"

// patience is how many urgent requests go before one that can wait, so that this one is served in the end.
const patience = 9

// lanes combines two queues: urgent requests go before those that can wait.
type lanes[T comparable] struct {
	placeOf        func(T) Place
	urgent, others turns[T]
	// passed counts the urgent requests that went before the next one that can wait.
	passed int
}

var _ workqueue.Queue[int] = &lanes[int]{}

// Touch implements workqueue.Queue: a waiting request keeps its place.
func (l *lanes[T]) Touch(T) {}

// Push implements workqueue.Queue.
func (l *lanes[T]) Push(item T) {
	place := l.placeOf(item)
	if place.CanWait {
		l.others.push(item, place.Group)
		return
	}
	l.urgent.push(item, place.Group)
}

// Len implements workqueue.Queue.
func (l *lanes[T]) Len() int { return l.urgent.count + l.others.count }

// Pop implements workqueue.Queue. It is never called when nothing is waiting.
func (l *lanes[T]) Pop() T {
	if l.others.count == 0 {
		return l.urgent.pop()
	}
	if l.urgent.count > 0 && l.passed < patience {
		l.passed++
		return l.urgent.pop()
	}
	l.passed = 0
	return l.others.pop()
}
