package pausing

import (
	"maps"
	"time"
)

// The annotations, under names that are short enough for the rows of a table.
const (
	KeyPaused   = "cluster.x-k8s.io/paused"
	KeyMarker   = "machine.openshift.io/paused-for-upgrade"
	KeyHandled  = "sickbay.dev/upgrades-handled"
	KeySince    = "sickbay.dev/upgrade-paused-at"
	KeyWarned   = "sickbay.dev/upgrade-pause-warned-at"
	KeySettling = "sickbay.dev/upgrade-settling-since"
	KeyResumed  = "sickbay.dev/resumed-at"
	KeyOption   = "sickbay.dev/pause-on-upgrade"
)

// WarnAfter is how long a pause lasts before a warning, and SettleWithin how long Nodes may take to become
// Ready.
const (
	WarnAfter    = 4 * time.Hour
	SettleWithin = 15 * time.Minute
)

// An upgrade begins at noon; the controller looks an hour later.
var (
	Noon = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	One  = Noon.Add(time.Hour)
)

// Stored are annotations of a MachineHealthCheck.
type Stored map[string]string

// And returns them with more added.
func (s Stored) And(more Stored) Stored {
	all := Stored{}
	maps.Copy(all, s)
	maps.Copy(all, more)
	return all
}

// But returns them without these keys.
func (s Stored) But(keys ...string) Stored {
	rest := s.And(nil)
	for _, key := range keys {
		delete(rest, key)
	}
	return rest
}

// After returns them with changes applied: nil removes one.
func (s Stored) After(changes map[string]*string) Stored {
	now := s.And(nil)
	for key, value := range changes {
		if value == nil {
			delete(now, key)
			continue
		}
		now[key] = *value
	}
	return now
}

// At formats a time as it is stored.
func At(t time.Time) string { return t.Format(time.RFC3339) }

// Ours returns the annotations of a pause of ours since a time, for some upgrades.
func Ours(upgrades string, since time.Time) Stored {
	return Stored{KeyPaused: "upgrade", KeyMarker: "", KeyHandled: upgrades, KeySince: At(since)}
}

// HandedOver returns the same for an object that is handed over to Sickbay.
func HandedOver(upgrades string, since time.Time) Stored {
	return Ours(upgrades, since).And(Stored{KeyPaused: "sickbay"})
}

// Settling returns the annotations of a pause of ours since noon, whose upgrades have been over since a time.
func Settling(since time.Time) Stored { return Ours("", Noon).And(Stored{KeySettling: At(since)}) }

// Resumed returns the annotations of an object that was paused until a time.
func Resumed(until time.Time) Stored { return Stored{KeyResumed: At(until)} }
