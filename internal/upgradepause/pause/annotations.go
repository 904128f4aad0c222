package pause

import (
	"strings"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

const (
	// MarkerAnnotation is part of every pause by Sickbay.
	MarkerAnnotation = mhcspec.UpgradeMarker
	// HandledAnnotation lists the upgrades that a MachineHealthCheck was paused for, separated by commas. It stays until they are over, so that
	// Sickbay does not pause a MachineHealthCheck again that somebody unpaused.
	HandledAnnotation = "sickbay.dev/upgrades-handled"
	// PausedAtAnnotation holds the RFC 3339 time at which Sickbay paused.
	PausedAtAnnotation = "sickbay.dev/upgrade-paused-at"
	// WarnedAtAnnotation holds the RFC 3339 time of the last warning that a pause is long.
	WarnedAtAnnotation = "sickbay.dev/upgrade-pause-warned-at"
	// SettlingAnnotation holds the RFC 3339 time from which Sickbay, with the upgrade over, waits for Nodes to become Ready.
	SettlingAnnotation = "sickbay.dev/upgrade-settling-since"
	// OptionAnnotation is the owner's setting; Sickbay only reads it.
	OptionAnnotation = mhcspec.PauseOnUpgradeAnnotation
)

// written lists the annotations that are part of our pause. Only its end also writes when it ended.
var written = []string{
	clusterv1.PausedAnnotation, MarkerAnnotation, HandledAnnotation, PausedAtAnnotation, WarnedAtAnnotation, SettlingAnnotation,
}

// holder is who has paused a MachineHealthCheck.
type holder int

const (
	nobody holder = iota
	us
	somebody
)

// holderOf returns who has paused a MachineHealthCheck. Our pause is our value and the marker: setting another value takes the pause over, and so
// does removing the marker. On one that is handed over our pause is the marker alone, and removing it unpauses.
func holderOf(annotations map[string]string) holder {
	value, paused := annotations[clusterv1.PausedAnnotation]
	_, marked := annotations[MarkerAnnotation]
	if !paused || value == mhcspec.HandedOverValue && !marked {
		return nobody
	}
	_, recorded := annotations[HandledAnnotation]
	switch {
	case !marked:
		return somebody
	case value == mhcspec.UpgradeValue, value == mhcspec.HandedOverValue:
		return us
	case value == "" && !recorded:
		// OpenShift's proposal writes this, so it is a pause by another program that follows the proposal.
		return us
	}
	return somebody
}

// Ours reports whether the annotations show a pause by Sickbay for an upgrade.
func Ours(annotations map[string]string) bool { return holderOf(annotations) == us }

// pausedValue returns the value of the paused annotation during our pause.
func pausedValue(annotations map[string]string) string {
	if annotations[clusterv1.PausedAnnotation] == mhcspec.HandedOverValue {
		return mhcspec.HandedOverValue
	}
	return mhcspec.UpgradeValue
}

// releasedValue returns the value of the paused annotation without our pause; nil if there is none.
func releasedValue(annotations map[string]string) *string {
	if annotations[clusterv1.PausedAnnotation] == mhcspec.HandedOverValue {
		return new(mhcspec.HandedOverValue)
	}
	return nil
}

// noted returns the upgrades in the record.
func noted(annotations map[string]string) []string {
	return strings.FieldsFunc(annotations[HandledAnnotation], func(r rune) bool { return r == ',' })
}

// timeOf returns the time in an annotation, at the latest now: another machine's clock may have been ahead of ours. It is zero if there is none, or
// if it is invalid.
func timeOf(annotations map[string]string, key string, now time.Time) time.Time {
	at, err := time.Parse(time.RFC3339, annotations[key])
	if err != nil {
		return time.Time{}
	}
	return healthcheck.Earliest(now, at)
}

func format(at time.Time) *string { return new(at.UTC().Format(time.RFC3339)) }

// difference returns the changes that turn the stored annotations into the wanted ones; nil removes one. It leaves out annotations that are not
// part of our pause.
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
