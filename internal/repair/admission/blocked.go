package admission

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Why an open record is neither in flight nor in line.
const (
	blockedHeld     = "Held"
	blockedApproval = v1alpha1.ReasonApprovalRequired
	blockedOthers   = v1alpha1.ReasonRemediationHeldByOthers
	blockedLater    = v1alpha1.ReasonBackoff
	blockedRecord   = "Record"
)

// blocks are the phrases for those records, by reason, for one and for several.
var blocks = []struct{ reason, one, several string }{
	{blockedHeld, "is Held, and a person decides", "are Held, and a person decides"},
	{blockedApproval, "waits for an approval", "wait for an approval"},
	{blockedOthers, "is left to others", "are left to others"},
	{blockedLater, "is tried again later", "are tried again later"},
	{blockedRecord, "waits for what its MachineRemediation says", "wait for what their MachineRemediations say"},
}

// Blocked says in one word why an open record has no slot and is not in line for one. It is empty if it has one, is in line, has
// ended, or was not reconciled yet. It is for messages: no admission depends on it.
func Blocked(r *v1alpha1.MachineRemediation, now time.Time) string {
	if ladder.Ended(r) || ladder.InFlight(r) || r.Status.Phase == "" {
		return ""
	}
	wants, at := ladder.WantsSlot(r, now)
	switch {
	case wants:
		return ""
	case !at.IsZero():
		return blockedLater
	case r.Status.Phase == v1alpha1.RemediationHeld:
		return blockedHeld
	}
	switch reason := ladder.Progress(&r.Status).Reason; reason {
	case blockedApproval, blockedOthers:
		return reason
	}
	return blockedRecord
}

// findBlocked adds the sick machines whose records wait for something other than a slot.
func (d *Decision) findBlocked(f Facts, now time.Time) {
	records := f.openByMachine()
	for i := range f.Targets {
		target := &f.Targets[i]
		record := records[target.Machine.UID]
		if record == nil || !target.ours() {
			continue
		}
		if reason := Blocked(record, now); reason != "" {
			d.Blocked = append(d.Blocked, Waiting{Machine: target.Machine.Name, UID: target.Machine.UID, Reason: reason})
		}
	}
}
