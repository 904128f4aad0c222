package healthcheck

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// rewordInterval is how far apart writes are that change nothing but words. Our own write wakes us up: a message that
	// differs each time, as an error of the network that names the local port, would be written without end.
	rewordInterval = 10 * time.Second
	// mostRestated is how many such writes in a row a change of a reason may follow: programs go by reasons, so that one of
	// them is told at once, but not one that goes back and forth, as that of a check that names the first problem of a map.
	mostRestated = 3
)

// rewordings remember which objects had nothing but words written lately, client.ObjectKey to rewording. The zero value
// is ready. It only delays.
type rewordings struct{ sync.Map }

type rewording struct {
	uid types.UID
	// at is when the last write was, and inARow how many there were, each soon after the one before.
	at     time.Time
	inARow int
}

// lately returns how many writes of words alone there were in a row, and until when they count.
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

// note remembers that words alone were written.
func (r *rewordings) note(obj client.Object, now time.Time) {
	before, _ := r.lately(obj, now)
	r.Store(client.ObjectKeyFromObject(obj), rewording{obj.GetUID(), now, before + 1})
}

// putOff has the plan wait if it changes nothing but words, and there were such changes lately.
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
