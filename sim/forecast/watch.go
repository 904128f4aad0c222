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
	// often is how often explain is asked.
	often = 500 * time.Millisecond
	// slow is how long the API server takes for an answer if the machine is busy. It needs few milliseconds.
	slow = 50 * time.Millisecond
)

// Watcher asks explain all the time.
type Watcher struct {
	// patience is how much later than it was said something may happen: what a busy machine takes for it.
	patience time.Duration

	mu   sync.Mutex
	open map[claim]*said
	// happened are when things were said to happen, and did. Broken says what did not.
	happened []Delay
	broken   []string
	// looked is when it looked last, and excuses are when nothing was to be expected in time.
	looked  time.Time
	excuses []excuse
}

// excuse is a time of which so much was lost.
type excuse struct {
	from, to time.Time
	lost     time.Duration
}

// Report is what became of what was said.
type Report struct {
	// Kept counts what has happened, Prompt what of that has happened within a second, and Excused what has not, but would have without the
	// time that was lost: while the manager was restarted, and while the machine was too busy to ask explain as often as it should, or the API
	// server to answer.
	Kept, Prompt, Excused int
	// Late says what else has happened later, and Broken what has not happened at all.
	Late   []Delay
	Broken []string
}

// Delay is something that happened later than it was said.
type Delay struct {
	What string
	// Due is when it was to happen, Happened when it did as far as that is written down, and Seen when a look showed it.
	Due, Happened, Seen time.Time
}

func (d Delay) String() string {
	const clock = "15:04:05.0"
	return fmt.Sprintf("%s: it was to happen at %s, happened at %s, and was seen at %s", d.What, d.Due.UTC().Format(clock), d.Happened.UTC().Format(clock), d.Seen.UTC().Format(clock))
}

// claim is one thing that is said to happen.
type claim struct {
	namespace, name, what string
	// at is zero for what is said to happen at once.
	at time.Time
}

// said is when it is due, and what was known when it was said last.
type said struct {
	due   time.Time
	facts explain.Facts
}

// Watch looks at a namespace until ctx ends. It returns once it has looked for the first time.
func Watch(ctx context.Context, cfg *rest.Config, o app.Options, patience time.Duration) (*Watcher, error) {
	onlooker, err := app.NewOnlooker(ctx, cfg, o)
	if err != nil {
		return nil, fmt.Errorf("making an onlooker: %w", err)
	}
	go func() { _ = onlooker.Run(ctx) }()
	if err := world.Poll(ctx, onlooker.Ready); err != nil {
		return nil, fmt.Errorf("reading the fleet: %w", err)
	}
	w := newWatcher(patience)
	look := func() error {
		facts, err := onlooker.Fleet.Look(ctx, o.Namespace)
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
				_ = look() // One that fails says nothing.
				asked := time.Now()
				if onlooker.Fleet.Live.List(ctx, &clusterv1.MachineHealthCheckList{}, client.Limit(1)) == nil {
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

// see holds what was said against a look, and takes up what is said now.
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
			// Something else has happened, so it is not to happen any more.
			delete(w.open, c)
		case now.Now.After(one.due.Add(w.patience)):
			w.broken = append(w.broken, fmt.Sprintf("%s/%s: %s was to happen at %s, and did not by %s",
				c.namespace, c.name, c.what, one.due.UTC().Format("15:04:05.0"), now.Now.UTC().Format("15:04:05.0")))
			delete(w.open, c)
		}
	}
}

// answered notes how long the API server took for something small. While it is slow, so is everybody who needs it.
func (w *Watcher) answered(asked, at time.Time) {
	if at.Sub(asked) > slow {
		w.Excuse(asked.Add(-often), at)
	}
}

// stalled notes how much later this look is than it should be.
func (w *Watcher) stalled(now time.Time) {
	if lost := now.Sub(w.looked) - often; !w.looked.IsZero() && lost > 0 {
		w.excuses = append(w.excuses, excuse{w.looked, now, lost})
	}
	w.looked = now
}

// collect takes up what explain says now, and returns it.
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

// overdue reports whether what is said to happen at once was said to happen by now.
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

// count notes what has happened. How much of its delay is excused is known at the end only.
func (w *Watcher) count(c claim, one *said, now explain.Facts) {
	late := Delay{What: fmt.Sprintf("%s/%s: %s", c.namespace, c.name, c.what), Due: one.due, Happened: stamped(one.facts, now, c.namespace, c.name), Seen: now.Now}
	if late.Happened.IsZero() {
		late.Happened = late.Seen
	}
	w.happened = append(w.happened, late)
}

// Excuse says that the manager was down for a time, and busy with its start. It may be said afterwards.
func (w *Watcher) Excuse(from, to time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.excuses = append(w.excuses, excuse{from, to, to.Sub(from)})
}

// lost is how much time was lost between two moments.
func (w *Watcher) lost(from, to time.Time) time.Duration {
	var lost time.Duration
	for _, one := range w.excuses {
		if one.to.After(from) && one.from.Before(to) {
			lost += one.lost
		}
	}
	return lost
}

// Report is what became of what was said so far.
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
