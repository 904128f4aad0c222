package pause

import (
	"slices"
	"strings"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

const (
	// MarkerAnnotation is part of every pause of ours.
	MarkerAnnotation = mhcspec.UpgradeMarker
	// HandledAnnotation holds the upgrades that a MachineHealthCheck has been paused for,
	// separated by commas. It stays until they are over, so that one which somebody unpauses is not
	// paused again.
	HandledAnnotation = "sickbay.dev/upgrades-handled"
	// PausedAtAnnotation holds the RFC 3339 time at which Sickbay paused.
	PausedAtAnnotation = "sickbay.dev/upgrade-paused-at"
	// WarnedAtAnnotation holds the RFC 3339 time of the last warning that a pause is long.
	WarnedAtAnnotation = "sickbay.dev/upgrade-pause-warned-at"
	// SettlingAnnotation holds the RFC 3339 time since which the upgrade is over, and Sickbay waits for Nodes to get Ready.
	SettlingAnnotation = "sickbay.dev/upgrade-settling-since"
	// OptionAnnotation is read.
	OptionAnnotation = mhcspec.PauseOnUpgradeAnnotation
)

// written are the annotations that a decision may change.
var written = []string{
	clusterv1.PausedAnnotation, MarkerAnnotation, HandledAnnotation,
	PausedAtAnnotation, WarnedAtAnnotation, SettlingAnnotation, mhcspec.ResumedAtAnnotation,
}

// holder is who holds a MachineHealthCheck paused.
type holder int

const (
	nobody holder = iota
	us
	somebody
)

// holderOf returns who. Our pause is our value together with the marker: putting another
// value there takes the pause over, and so does taking the marker away.
func holderOf(annotations map[string]string) holder {
	value, paused := annotations[clusterv1.PausedAnnotation]
	if !paused || value == mhcspec.HandedOverValue {
		return nobody
	}
	_, marked := annotations[MarkerAnnotation]
	_, recorded := annotations[HandledAnnotation]
	switch {
	case !marked:
		return somebody
	case value == mhcspec.UpgradeValue, value == mhcspec.HandedOverUpgradeValue:
		return us
	case value == "" && !recorded:
		// As the proposal writes it, so by another program that follows it.
		return us
	}
	return somebody
}

// Ours reports whether annotations say that Sickbay pauses a MachineHealthCheck for an upgrade.
func Ours(annotations map[string]string) bool { return holderOf(annotations) == us }

// pausedValue is the value of the paused annotation while we pause.
func pausedValue(annotations map[string]string) string {
	switch annotations[clusterv1.PausedAnnotation] {
	case mhcspec.HandedOverValue, mhcspec.HandedOverUpgradeValue:
		return mhcspec.HandedOverUpgradeValue
	}
	return mhcspec.UpgradeValue
}

// releasedValue is the value before and after; nil is none.
func releasedValue(annotations map[string]string) *string {
	if annotations[clusterv1.PausedAnnotation] == mhcspec.HandedOverUpgradeValue {
		return new(mhcspec.HandedOverValue)
	}
	return nil
}

// handled returns which of the active upgrades it has been paused for already. A marker without a pause and without a record is how the proposal remembers that a
// MachineHealthCheck was unpaused.
func handled(annotations map[string]string, active []string) []string {
	if _, recorded := annotations[HandledAnnotation]; !recorded {
		if _, marked := annotations[MarkerAnnotation]; marked {
			return active
		}
		return nil
	}
	before := noted(annotations)
	return slices.DeleteFunc(slices.Clone(active), func(id string) bool { return !slices.Contains(before, id) })
}

// noted are the upgrades in the record; none if there is none.
func noted(annotations map[string]string) []string {
	return strings.FieldsFunc(annotations[HandledAnnotation], func(r rune) bool { return r == ',' })
}

// timeOf reads a time; zero if there is none, or none that can be read.
func timeOf(annotations map[string]string, key string) time.Time {
	at, err := time.Parse(time.RFC3339, annotations[key])
	if err != nil {
		return time.Time{}
	}
	return at
}

func format(at time.Time) *string { return new(at.UTC().Format(time.RFC3339)) }

// difference returns what has to be written for the annotations to become as wanted, nil for what
// has to go. Annotations that are not ours to write are left out.
func difference(stored map[string]string, wanted map[string]*string) map[string]*string {
	changes := map[string]*string{}
	for _, key := range written {
		before, ok := stored[key]
		after := wanted[key]
		if ok != (after != nil) || (after != nil && *after != before) {
			changes[key] = after
		}
	}
	return changes
}
