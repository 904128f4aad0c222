package memory

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// relapse starts after the last step that was tried for the same incident; nil if none was.
func relapse(steps []v1alpha1.RemediationStep, records []*v1alpha1.MachineRemediation, incident Incident, window time.Duration,
	now time.Time,
) *v1alpha1.RemediationStart {
	for _, r := range earlier(records, incident, window, now) {
		for n := len(r.Status.Attempts) - 1; n >= 0; n-- {
			step, tried := triedBy(r, &r.Status.Attempts[n])
			if !tried {
				continue
			}
			if i := same(steps, step); i >= 0 {
				return after(steps, i, why(r, step, incident))
			}
		}
	}
	return nil
}

// Relapsed reports whether one of some records has tried to repair the same machine or host for the same reason, and ended within a window.
func Relapsed(records []*v1alpha1.MachineRemediation, incident Incident, window time.Duration, now time.Time) bool {
	return slices.ContainsFunc(records, func(r *v1alpha1.MachineRemediation) bool { return remembered(r, incident, window, now) && Tried(r) })
}

func remembered(r *v1alpha1.MachineRemediation, incident Incident, window time.Duration, now time.Time) bool {
	ended := r.Status.CompletionTime
	return ended != nil && now.Before(ended.Add(window)) && r.Spec.Finding.Reason == incident.Reason && about(r, incident)
}

// earlier returns the remembered ended records of the same machine or host with the same reason, latest first.
func earlier(records []*v1alpha1.MachineRemediation, incident Incident, window time.Duration, now time.Time) []*v1alpha1.MachineRemediation {
	var found []*v1alpha1.MachineRemediation
	for _, r := range records {
		if remembered(r, incident, window, now) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, latestFirst)
	return found
}

func latestFirst(a, b *v1alpha1.MachineRemediation) int {
	return cmp.Or(b.Status.CompletionTime.Compare(a.Status.CompletionTime.Time), cmp.Compare(b.UID, a.UID))
}

// about reports whether a record is about the machine of an incident, or about its host.
func about(r *v1alpha1.MachineRemediation, incident Incident) bool {
	return (incident.MachineUID != "" && r.Spec.MachineRef.UID == incident.MachineUID) || onHost(r, incident)
}

func onHost(r *v1alpha1.MachineRemediation, incident Incident) bool {
	return incident.HostUID != "" && r.Spec.HostRef != nil && r.Spec.HostRef.UID == incident.HostUID
}

func why(r *v1alpha1.MachineRemediation, step v1alpha1.RemediationStep, incident Incident) string {
	where := ""
	if r.Spec.MachineRef.UID != incident.MachineUID {
		where = " on the same host"
	}
	return fmt.Sprintf("MachineRemediation %s has tried step %s for the same reason%s", r.Name, step.Name, where)
}
