package forecast

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/sim/world"
)

const (
	// often is the interval at which explain is asked.
	often = 500 * time.Millisecond
	// slow is the response time of the API server from which the machine counts as busy. Normally, it needs a few milliseconds.
	slow = 50 * time.Millisecond
)

// Watcher asks explain all the time.
type Watcher struct {
	// patience is how much later than predicted something may happen on a busy machine.
	patience time.Duration

	mu   sync.Mutex
	open map[claim]*said
	// happened are the predictions that came true, with their times. broken describes those that did not.
	happened []Delay
	broken   []string
	// looked is the time of the last look, and excuses are the times in which nothing could be expected in time.
	looked  time.Time
	excuses []excuse
}

// excuse is a time span, and how much of it was lost.
type excuse struct {
	from, to time.Time
	lost     time.Duration
}

// Report is the outcome of explain's predictions.
type Report struct {
	// Kept counts the predictions that came true, and Prompt those that did within a second. Excused counts those that would have without lost
	// time: while the manager restarted, while the machine was too busy to ask explain often enough, or while the API server was slow.
	Kept, Prompt, Excused int
	// Late are the other late events, and Broken describes the predictions that did not come true.
	Late   []Delay
	Broken []string
}

// Delay is an event that came later than predicted.
type Delay struct {
	What string
	// Due is the predicted time, Happened the stored time if there is one, and Seen the time of the look that showed it.
	Due, Happened, Seen time.Time
}

func (d Delay) String() string {
	const clock = "15:04:05.0"
	return fmt.Sprintf("%s: it was to happen at %s, happened at %s, and was seen at %s", d.What, d.Due.UTC().Format(clock), d.Happened.UTC().Format(clock), d.Seen.UTC().Format(clock))
}

// claim is one prediction.
type claim struct {
	namespace, name, what string
	// at is zero if it should happen at once.
	at time.Time
}

// said is when a prediction is due, and what was known when it was last made.
type said struct {
	due   time.Time
	facts explain.Facts
}

// Watch looks at a namespace until ctx ends. It returns after the first look.
func Watch(ctx context.Context, cfg *rest.Config, o app.Options, patience time.Duration) (*Watcher, error) {
	observer, err := app.NewObserver(ctx, cfg, o)
	if err != nil {
		return nil, fmt.Errorf("making an observer: %w", err)
	}
	go func() { _ = observer.Run(ctx) }()
	if err := world.Poll(ctx, observer.Ready); err != nil {
		return nil, fmt.Errorf("reading the fleet: %w", err)
	}
	w := newWatcher(patience)
	look := func() error {
		facts, err := observer.Fleet.Look(ctx, o.Namespace)
		if err == nil {
			w.see(facts)
		}
		return err
	}
	if err := look(); err != nil {
		return nil, fmt.Errorf("looking at the fleet: %w", err)
	}
	go func() {
		ticker := time.NewTicker(often)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				_ = look() // A failed look says nothing.
				asked := time.Now()
				if observer.Fleet.Live.List(ctx, &clusterv1.MachineHealthCheckList{}, client.Limit(1)) == nil {
					w.answered(asked, time.Now())
				}
			}
		}
	}()
	return w, nil
}

func newWatcher(patience time.Duration) *Watcher {
	return &Watcher{patience: patience, open: map[claim]*said{}}
}

// see compares the predictions with a look, and records the new predictions.
func (w *Watcher) see(now explain.Facts) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stalled(now.Now)
	again := w.collect(now)
	for c, one := range w.open {
		switch {
		case Changed(one.facts, now, c.namespace, c.name):
			if !one.due.After(now.Now) {
				w.count(c, one, now)
			}
			delete(w.open, c)
		case !again[c] && (c.at.IsZero() || c.at.After(now.Now)):
			// Something else has happened, so the prediction no longer applies.
			delete(w.open, c)
		case now.Now.After(one.due.Add(w.patience)):
			w.broken = append(w.broken, fmt.Sprintf("%s/%s: %s was to happen at %s, and did not by %s",
				c.namespace, c.name, c.what, one.due.UTC().Format("15:04:05.0"), now.Now.UTC().Format("15:04:05.0")))
			delete(w.open, c)
		}
	}
}

// answered records how long the API server took for a small request. While it is slow, everybody who needs it is slow.
func (w *Watcher) answered(asked, at time.Time) {
	if at.Sub(asked) > slow {
		w.excused(asked.Add(-often), at)
	}
}

// stalled records how late this look is.
func (w *Watcher) stalled(now time.Time) {
	if lost := now.Sub(w.looked) - often; !w.looked.IsZero() && lost > 0 {
		w.excuses = append(w.excuses, excuse{w.looked, now, lost})
	}
	w.looked = now
}

// collect records explain's current predictions, and returns them.
func (w *Watcher) collect(now explain.Facts) map[claim]bool {
	again := map[claim]bool{}
	for _, one := range now.Next() {
		c := claimOf(one, now.Now)
		again[c] = true
		if w.open[c] == nil && c.at.IsZero() && w.overdue(c, now.Now) {
			continue
		}
		if w.open[c] == nil {
			w.open[c] = &said{due: one.At, facts: now}
		}
		if c.at.After(now.Now) {
			w.open[c].facts = now
		}
	}
	return again
}

// overdue reports whether something that is predicted to happen at once was already predicted for an earlier time.
func (w *Watcher) overdue(c claim, now time.Time) bool {
	for other := range w.open {
		if earlier := other.at; !earlier.IsZero() && !earlier.After(now) && other.namespace == c.namespace && other.name == c.name && other.what == c.what {
			return true
		}
	}
	return false
}

func claimOf(one explain.Upcoming, now time.Time) claim {
	c := claim{namespace: one.Namespace, name: one.Name, what: one.What, at: one.At}
	if !one.At.After(now) {
		c.at = time.Time{}
	}
	return c
}

// count records what has happened. How much of its delay is excused is known only at the end.
func (w *Watcher) count(c claim, one *said, now explain.Facts) {
	late := Delay{What: fmt.Sprintf("%s/%s: %s", c.namespace, c.name, c.what), Due: one.due, Happened: stamped(one.facts, now, c.namespace, c.name), Seen: now.Now}
	if late.Happened.IsZero() {
		late.Happened = late.Seen
	}
	w.happened = append(w.happened, late)
}

// excused records that answers were late for a time. It may be called afterwards.
func (w *Watcher) excused(from, to time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.excuses = append(w.excuses, excuse{from, to, to.Sub(from)})
}

// lost returns how much time was lost between two moments.
func (w *Watcher) lost(from, to time.Time) time.Duration {
	var lost time.Duration
	for _, one := range w.excuses {
		if one.to.After(from) && one.from.Before(to) {
			lost += one.lost
		}
	}
	return lost
}

// Report returns the outcome of the predictions so far.
func (w *Watcher) Report() Report {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := Report{Kept: len(w.happened), Broken: slices.Clone(w.broken)}
	for _, one := range w.happened {
		switch late := one.Happened.Sub(one.Due); {
		case late <= time.Second:
			r.Prompt++
		case late <= time.Second+w.lost(one.Due, one.Seen):
			r.Excused++
		default:
			r.Late = append(r.Late, one)
		}
	}
	return r
}
