package pauses

import (
	"maps"
	"strings"
	"time"
)

// The annotations.
const (
	Paused   = "cluster.x-k8s.io/paused"
	Marker   = "machine.openshift.io/paused-for-upgrade"
	handled  = "sickbay.dev/upgrades-handled"
	since    = "sickbay.dev/upgrade-paused-at"
	warned   = "sickbay.dev/upgrade-pause-warned-at"
	settling = "sickbay.dev/upgrade-settling-since"
	resumed  = "sickbay.dev/resumed-at"
	option   = "sickbay.dev/pause-on-upgrade"
)

// The values of Paused.
const (
	handedOver = "sickbay"
	ours       = "upgrade"
)

// stored are the annotations of a health check.
type stored map[string]string

// ours reports whether the pause looks like Sickbay's.
func (s stored) ours() bool {
	return s.has(Marker) && (s[Paused] == ours || s[Paused] == handedOver)
}

func (s stored) has(key string) bool {
	_, ok := s[key]
	return ok
}

// butOurs returns what is not Sickbay's.
func (s stored) butOurs() stored {
	rest := maps.Clone(s)
	maps.DeleteFunc(rest, func(key, _ string) bool {
		switch key {
		case Paused, Marker, handled, since, warned, settling, resumed:
			return true
		}
		return false
	})
	return rest
}

// ids returns the upgrades in the record.
func (s stored) ids() []string {
	return strings.FieldsFunc(s[handled], func(r rune) bool { return r == ',' })
}

// time returns a stored time; zero if there is none.
func (s stored) time(key string) time.Time {
	at, _ := time.Parse(time.RFC3339, s[key])
	return at
}

// unseen reports whether nobody has looked at another program's marks yet. If a person then pauses as that program does, nobody can distinguish the
// two: that is a limit of the proposal.
func (s stored) unseen() bool { return s.has(Marker) && !s.has(handled) }

func format(at time.Time) string { return at.UTC().Truncate(time.Second).Format(time.RFC3339) }
