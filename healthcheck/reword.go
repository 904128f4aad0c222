package healthcheck

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// rewordInterval is how far apart writes are that change nothing but messages. Our own write wakes us up: a message that
// differs each time, as an error of the network that names the local port, would be written without end.
const rewordInterval = 10 * time.Second

// rewordings remember which objects had nothing but messages written lately, client.ObjectKey to rewording. The zero value
// is ready. It only delays.
type rewordings struct{ sync.Map }

type rewording struct {
	uid types.UID
	at  time.Time
}

// due returns when a message alone may be written; zero means at once.
func (r *rewordings) due(obj client.Object, now time.Time) time.Time {
	key := client.ObjectKeyFromObject(obj)
	kept, found := r.Load(key)
	if !found {
		return time.Time{}
	}
	last := kept.(rewording)
	if due := last.at.Add(rewordInterval); last.uid == obj.GetUID() && now.Before(due) {
		return due
	}
	r.CompareAndDelete(key, last)
	return time.Time{}
}

// note remembers that a message alone was written.
func (r *rewordings) note(obj client.Object, now time.Time) {
	r.Store(client.ObjectKeyFromObject(obj), rewording{obj.GetUID(), now})
}

// putOff has the plan wait if it changes nothing but messages, and such a change was written lately.
func (p *plan) putOff(due time.Time) {
	if !p.reworded || p.changed || due.IsZero() {
		return
	}
	p.reworded = false
	p.recheckAt = Earliest(p.recheckAt, due)
}
