package pause

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/testing/pausing"
)

// Short names, so that a row of a table fits on one line.
const (
	keyPaused   = pausing.KeyPaused
	keyMarker   = pausing.KeyMarker
	keyHandled  = pausing.KeyHandled
	keySince    = pausing.KeySince
	keyWarned   = pausing.KeyWarned
	keySettling = pausing.KeySettling
	keyOption   = pausing.KeyOption

	warnAfter    = pausing.WarnAfter
	settleWithin = pausing.SettleWithin
)

type stored = pausing.Stored

var (
	noon, one                               = pausing.Noon, pausing.One
	at, ours, handedOver, settling, resumed = pausing.At, pausing.Ours, pausing.HandedOver, pausing.Settling, pausing.Resumed
	workers                                 = pausing.Workers
)

func upgrading(ids ...string) []Upgrade {
	var upgrades []Upgrade
	for _, id := range ids {
		upgrades = append(upgrades, Upgrade{ID: id, Text: fmt.Sprintf("Upgrade %s goes on", id)})
	}
	return upgrades
}

// row is a MachineHealthCheck, the upgrades in progress, and the outcome at one o'clock.
type row struct {
	has      stored
	upgrades []Upgrade
	does     Transition
	gets     stored
	// recheck is when to look again; zero means never.
	recheck time.Time
	// settle is what the pause waits for, excepted means that its Cluster excepts it, and unsure that nobody knows that yet.
	settle           Settle
	excepted, unsure bool
	// unknown are signals that cannot be read.
	unknown []Unknown
	// drains means that Sickbay hands everything back.
	drains bool
}

// outcome is what Decide does with a row.
type outcome struct {
	Does    Transition
	Gets    stored
	Recheck time.Time
}

func decideRows(t *testing.T, rows map[string]row) {
	t.Helper()
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			before := r.has.And(nil)
			f := Facts{Annotations: r.has, Upgrades: r.upgrades, WarnAfter: warnAfter, Settle: r.settle, Excepted: r.excepted, MayBeExcepted: r.unsure, Unknown: r.unknown, Drains: r.drains}
			d := Decide(f, one)
			got := outcome{d.Transition, r.has.After(d.Changes), d.RecheckAt}
			if diff := cmp.Diff(outcome{r.does, r.gets.And(nil), r.recheck}, got); diff != "" {
				t.Errorf("Decide (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, r.has.And(nil)); diff != "" {
				t.Errorf("Decide has changed what it was given (-before +after):\n%s", diff)
			}
			f.Annotations = got.Gets
			if again := Decide(f, one); len(again.Changes) > 0 || again.Transition != None {
				t.Errorf("a second look writes again: %+v", again)
			}
		})
	}
}
