package healthcheck

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// rewordInterval is the minimum time between two writes that change nothing but words. Our own write triggers the next
	// look: a message that differs each time, such as a network error with the local port, would be written without end.
	rewordInterval = 10 * time.Second
	// mostRestated is after how many such writes in a row a change of reason must wait. Programs act on reasons, so a
	// changed one is written at once, but not one that alternates, such as that of a check that names the first problem in
	// a map.
	mostRestated = 3
)

// rewordings remembers the objects with recent writes that changed only words, client.ObjectKey to rewording. The zero
// value is ready. It only delays.
type rewordings struct{ sync.Map }

type rewording struct {
	uid types.UID
	// at is when the last such write was, and inARow how many followed each other closely.
	at     time.Time
	inARow int
}

// lately returns how many writes of only words there were in a row, and until when they count.
func (r *rewordings) lately(obj client.Object, now time.Time) (inARow int, until time.Time) {
	key := client.ObjectKeyFromObject(obj)
	kept, found := r.Load(key)
	if !found {
		return 0, time.Time{}
	}
	last := kept.(rewording)
	if until := last.at.Add(rewordInterval); last.uid == obj.GetUID() && now.Before(until) {
		return last.inARow, until
	}
	r.CompareAndDelete(key, last)
	return 0, time.Time{}
}

// note records a write that changed only words.
func (r *rewordings) note(obj client.Object, now time.Time) {
	before, _ := r.lately(obj, now)
	r.Store(client.ObjectKeyFromObject(obj), rewording{obj.GetUID(), now, before + 1})
}

// putOff postpones the writes of the plan if they change only words and there were such writes lately.
func (p *plan) putOff(inARow int, until time.Time) {
	most := 1
	if p.restated {
		most = mostRestated
	}
	if p.changed || !p.applies() || inARow < most {
		return
	}
	p.restated, p.reworded = false, false
	p.transitions = slices.DeleteFunc(p.transitions, func(t Transition) bool { return !t.removes() })
	p.recheckAt = Earliest(p.recheckAt, until)
}
