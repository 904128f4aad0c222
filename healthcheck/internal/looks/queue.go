package looks

import (
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// NewQueue is controller-runtime's option of that name.
type NewQueue = func(name string, limiter workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request]

// Noting returns a NewQueue whose queues note in the log what led to a request. Made makes the queues.
func (l *Log) Noting(made NewQueue) NewQueue {
	return func(name string, limiter workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request] {
		inner := made(name, limiter)
		noting := queue{inner, l}
		if prioritized, ok := inner.(priorityqueue.PriorityQueue[ctrl.Request]); ok {
			return priorityQueue{noting, prioritized}
		}
		return noting
	}
}

// queue notes what is added. What is added again after an error is no event.
type queue struct {
	workqueue.TypedRateLimitingInterface[ctrl.Request]
	log *Log
}

// Add implements workqueue.TypedInterface.
func (q queue) Add(req ctrl.Request) {
	q.log.Event(req.NamespacedName)
	q.TypedRateLimitingInterface.Add(req)
}

// AddAfter implements workqueue.TypedDelayingInterface.
func (q queue) AddAfter(req ctrl.Request, after time.Duration) {
	q.note(req, after)
	q.TypedRateLimitingInterface.AddAfter(req, after)
}

func (q queue) note(req ctrl.Request, after time.Duration) {
	if after > 0 {
		q.log.Delayed(req.NamespacedName, after, clock.RealClock{}.Now())
		return
	}
	q.log.Event(req.NamespacedName)
}

// priorityQueue is a queue with priorities.
type priorityQueue struct {
	queue
	prioritized priorityqueue.PriorityQueue[ctrl.Request]
}

// AddWithOpts implements priorityqueue.PriorityQueue.
func (q priorityQueue) AddWithOpts(o priorityqueue.AddOpts, reqs ...ctrl.Request) {
	for _, req := range reqs {
		if !o.RateLimited {
			q.note(req, o.After)
		}
	}
	q.prioritized.AddWithOpts(o, reqs...)
}

// GetWithPriority implements priorityqueue.PriorityQueue.
func (q priorityQueue) GetWithPriority() (ctrl.Request, int, bool) {
	return q.prioritized.GetWithPriority()
}
