package dashboard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"k8s.io/utils/clock"
)

const (
	// maxWatchers bounds how many pages get live updates.
	maxWatchers = 200
	// stillThere is the longest time between two events to a page.
	stillThere = 3 * time.Second
	// writeTime is how long a page may take to read an event.
	writeTime = 10 * time.Second
)

// update is the event after each look. If the version has changed, the page reloads its contents.
type update struct {
	Version string `json:"version"`
	At      string `json:"at,omitempty"`
	Now     string `json:"now"`
	// Error is why there is no newer data.
	Error string `json:"error,omitempty"`
}

// events keeps a page up to date with server-sent events.
func (d *Dashboard) events(w http.ResponseWriter, r *http.Request) {
	if !d.observer.join() {
		http.Error(w, "too many pages have live updates", http.StatusServiceUnavailable)
		return
	}
	defer d.observer.leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	out := http.NewResponseController(w)
	endures(w)
	d.observer.want()
	// A look may take long. Repeated events show the page that the connection is alive.
	still := time.NewTicker(stillThere)
	defer still.Stop()
	for {
		last, changed := d.observer.state()
		if !last.begun.IsZero() {
			// Some writers support no deadline. Deadlines use the real time, not the clock of the pages.
			_ = out.SetWriteDeadline(clock.RealClock{}.Now().Add(writeTime))
			if !d.tell(w, out, last) {
				return
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-still.C:
		}
	}
}

// tell writes one event, and reports whether the page still reads.
func (d *Dashboard) tell(w http.ResponseWriter, out *http.ResponseController, last snapshot) bool {
	now := update{Now: d.options.Clock.Now().UTC().Format(time.RFC3339Nano)}
	if last.look != nil {
		now.Version, now.At = last.look.Version, last.at.UTC().Format(time.RFC3339Nano)
	}
	if last.err != nil {
		now.Error = last.err.Error()
	}
	text, err := json.Marshal(now)
	if err != nil {
		return false
	}
	if _, err := fmt.Fprintf(w, "event: look\ndata: %s\n\n", text); err != nil {
		return false
	}
	return out.Flush() == nil
}

// join adds a watcher; it returns false if there are too many.
func (o *observer) join() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.watchers == maxWatchers {
		return false
	}
	o.watchers++
	return true
}

func (o *observer) leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.watchers--
}
