package dashboard

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
)

// TestOneLook: concurrent requests share one look, and without requests there is none.
func TestOneLook(t *testing.T) {
	d := run(t, explaintest.Eleven())
	if d.fleet.looked() != 0 {
		t.Error("somebody looks before anybody has asked")
	}
	var all sync.WaitGroup
	for i := range 20 {
		at := []string{"/", "/machines/default/metal-1", "/checks/default/metal", "/simulate?check=default/metal&slots=1&fail=50%25", "/history"}[i%5]
		all.Go(func() { d.get(t, at) })
	}
	all.Wait()
	if n := d.fleet.looked(); n < 1 || n > 2 {
		t.Errorf("20 pages took %d looks", n)
	}
}

// TestAge: a page says how old its data is, and why there is no newer data.
func TestAge(t *testing.T) {
	d := run(t, explaintest.Eleven())
	if page := textOf(d.get(t, "/").Body.String()); !strings.Contains(page, "Data 0s old") {
		t.Errorf("it does not say how old it is: %s", page)
	}
	d.fleet.set(nil, errors.New("connection refused"))
	d.clock.SetTime(explaintest.Noon.Add(time.Minute))
	d.get(t, "/")
	d.clock.SetTime(explaintest.Noon.Add(63 * time.Second))
	page := textOf(d.get(t, "/").Body.String())
	for _, want := range []string{"The fleet cannot be read. This data is 1m 03s old. For 3s: connection refused", "2 things for you to decide", "Data 1m 03s old"} {
		if !strings.Contains(page, want) {
			t.Errorf("it does not say %q: %s", want, page)
		}
	}
	d.fleet.set(explaintest.Eleven(), nil)
	d.clock.SetTime(explaintest.Noon.Add(2 * time.Minute))
	if page := textOf(d.get(t, "/").Body.String()); strings.Contains(page, "cannot be read.") || !strings.Contains(page, "Data 0s old") {
		t.Errorf("it is not as if nothing had been: %s", page)
	}
}

// TestNothingRead: without data, a page says so, with an error status.
func TestNothingRead(t *testing.T) {
	d := run(t, nil)
	d.fleet.set(nil, errors.New("you may not list Machines"))
	w := d.get(t, "/machines")
	if page := textOf(w.Body.String()); w.Code != http.StatusServiceUnavailable || w.Header().Get("Refresh") == "" || !strings.Contains(page, "you may not list Machines") {
		t.Errorf("it answers %d: %s", w.Code, page)
	}
}

// TestUnreadableSince: a cluster counts as unreadable from when that was first seen, unless the facts say since when.
func TestUnreadableSince(t *testing.T) {
	l := newObserver(nil, "", nil)
	at := func(seconds int, mine, theirs string) string {
		facts := explaintest.Eleven()
		facts.Now = explaintest.Noon.Add(time.Duration(seconds) * time.Second)
		for i := range facts.Clusters {
			facts.Clusters[i].Unreadable = ""
		}
		facts.Clusters[0].Unreadable, facts.Clusters[1].Unreadable = mine, theirs
		facts.Clusters[1].Since = explaintest.Noon.Add(-time.Hour)
		l.remember(facts)
		var said []string
		fleet := facts.Fleet()
		for _, item := range fleet.Unreadable {
			said = append(said, item.Text)
		}
		return strings.Join(said, "; ")
	}
	for _, step := range []struct {
		seconds      int
		mine, theirs string
		want         string
	}{
		{0, "down", "", "since 12:00:00 UTC: down"}, {5, "still down", "", "since 12:00:00 UTC: still down"}, {10, "", "", ""},
		{15, "down", "expired", "since 12:00:15 UTC: down; since 11:00:00 UTC: expired"},
	} {
		if got := at(step.seconds, step.mine, step.theirs); got != step.want {
			t.Errorf("after %ds: %q, want %q", step.seconds, got, step.want)
		}
	}
}

// TestEvents: each watcher gets an event for each look and each failure; when all have gone, looks stop.
func TestEvents(t *testing.T) {
	d := run(t, explaintest.Eleven())
	server := httptest.NewServer(d.handler)
	defer server.Close()
	response, err := server.Client().Get(server.URL + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	until := func(text string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return
			}
		}
		t.Fatalf("nobody is told %q: %v", text, lines.Err())
	}
	until("event: look")
	until(`"version":"`)
	facts := explaintest.Eleven()
	facts.Manager = explain.Manager{Name: "sickbay-1"}
	d.fleet.set(facts, nil)
	until("event: look")
	d.fleet.set(nil, errors.New("gone"))
	until(`"error":"gone"`)
}

// TestTooManyWatchers: the number of pages with live updates is bounded.
func TestTooManyWatchers(t *testing.T) {
	d := run(t, explaintest.Eleven())
	for range maxWatchers {
		d.observer.join()
	}
	if w := d.get(t, "/events"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("it answers %d", w.Code)
	}
}

// broken is a fleet that causes a panic.
type broken struct{ Fleet }

func (broken) Look(context.Context, string) (explain.Facts, error) { panic("no such step") }

// TestLookThatPanics: a panic in the dashboard does not end the manager.
func TestLookThatPanics(t *testing.T) {
	l := newObserver(broken{}, "", clocktesting.NewFakePassiveClock(explaintest.Noon))
	l.look(t.Context())
	if last := l.current(); last.err == nil || !strings.Contains(last.err.Error(), "no such step") || last.look != nil {
		t.Errorf("it says %v, want what is wrong", last.err)
	}
}
