package cycle

import (
	"maps"
	"slices"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/conditions"
)

// KeptBy says which person or other system keeps a host off or works on it, so that Sickbay must leave it and its machine alone; empty if
// nobody does. A host with an error is kept by nobody. Nor is one that is serviced while it is cycled: its operator waits with an update of
// the firmware for a reboot, and the cycle waits for the update.
func KeptBy(host *metal3v1.BareMetalHost, cycled bool) string {
	reason, message := obstacle(host)
	if temporary(reason) && (!cycled || reason != v1alpha1.ReasonHostServicing) {
		return message
	}
	if !host.Spec.Online {
		return "Somebody wants the host " + host.Name + " off (spec.online)"
	}
	for _, key := range slices.Sorted(maps.Keys(host.Annotations)) {
		if (key == ProbeKey || strings.HasPrefix(key, metal3v1.RebootAnnotationPrefix+"/")) && !IsOurs(host.Annotations[key]) {
			return "Somebody keeps the host " + host.Name + " off by the annotation " + key
		}
	}
	return ""
}

// AwaitsPerson says whom a cycle that has not begun waits for, if that is a person or another system that keeps the host; empty otherwise.
func AwaitsPerson(s *v1alpha1.RebootRemediationStatus) string {
	c := conditions.Of(s.Conditions, v1alpha1.ConditionHostAvailable)
	if s.Phase.Ended() || (!keptOffBy(c.Reason) && !temporary(c.Reason)) {
		return ""
	}
	return c.Message
}
