package upgradepause

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
)

// Short names, so that a row of a table fits on a line.
const (
	keyPaused  = clusterv1.PausedAnnotation
	keyMarker  = MarkerAnnotation
	keyHandled = HandledAnnotation
	keySince   = PausedAtAnnotation
	keyWarned  = WarnedAtAnnotation
	keyResumed = machinehealth.ResumedAtAnnotation
	keyOption  = OptionAnnotation

	warnAfter = 4 * time.Hour
)

// In the rows an upgrade begins at noon, and one is looked at an hour later.
var (
	noon = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	one  = noon.Add(time.Hour)
)

// stored are annotations of a MachineHealthCheck.
type stored map[string]string

// and returns them with more.
func (s stored) and(more stored) stored {
	all := stored{}
	maps.Copy(all, s)
	maps.Copy(all, more)
	return all
}

// but returns them without some.
func (s stored) but(keys ...string) stored {
	rest := s.and(nil)
	for _, key := range keys {
		delete(rest, key)
	}
	return rest
}

// after returns them with the changes of a decision made.
func (s stored) after(d Decision) stored {
	now := s.and(nil)
	for key, value := range d.Changes {
		if value == nil {
			delete(now, key)
			continue
		}
		now[key] = *value
	}
	return now
}

func at(t time.Time) string { return t.Format(time.RFC3339) }

// ours is paused by us since a time, for some upgrades.
func ours(upgrades string, since time.Time) stored {
	return stored{keyPaused: "upgrade", keyMarker: "", keyHandled: upgrades, keySince: at(since)}
}

// resumed is not paused, and has been until a time.
func resumed(until time.Time) stored { return stored{keyResumed: at(until)} }

func upgrading(ids ...string) []Upgrade {
	var upgrades []Upgrade
	for _, id := range ids {
		upgrades = append(upgrades, Upgrade{ID: id, Text: fmt.Sprintf("Upgrade %s goes on", id), Since: noon})
	}
	return upgrades
}

// row is a MachineHealthCheck, which upgrades go on, and what becomes of it at one o'clock.
type row struct {
	has      stored
	upgrades []Upgrade
	does     Transition
	gets     stored
	// recheck is when to look again; zero is never.
	recheck time.Time
}

func decideRows(t *testing.T, rows map[string]row) {
	t.Helper()
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			before := r.has.and(nil)
			f := Facts{Annotations: r.has, Upgrades: r.upgrades, WarnAfter: warnAfter}
			d := Decide(f, one)
			got := row{has: r.has, upgrades: r.upgrades, does: d.Transition, gets: r.has.after(d), recheck: d.RecheckAt}
			want := r
			want.gets = r.gets.and(nil)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
				t.Errorf("Decide (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, r.has.and(nil)); diff != "" {
				t.Errorf("Decide has changed what it was given (-before +after):\n%s", diff)
			}
			f.Annotations = got.gets
			if again := Decide(f, one); len(again.Changes) > 0 || again.Transition != None {
				t.Errorf("a second look writes again: %+v", again)
			}
		})
	}
}
