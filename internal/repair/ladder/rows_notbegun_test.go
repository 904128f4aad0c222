package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// rowsNotBegun: somebody was asked, and has not begun.
func rowsNotBegun() []row {
	stands := func(f *Facts) { f.Request.BeganAt = noon.Add(-time.Second) }
	return []row{
		{"a power cycle waits for its turn", with(plan(reboot(), replace()), asks("reboot", time.Minute), bounded, requestSays("Unknown", "another host is cycled")), answer{
			Says: "Acting Acting: Step reboot, 1 of 2: waits for its turn: another host is cycled",
			Last: "reboot 1 made RebootRemediation r-1, asked", Due: "59m0s", Again: "59m0s",
		}},
		{"a power cycle has waited for its turn for an hour", with(plan(reboot(), replace()), asks("reboot", time.Hour), bounded, requestSays("Unknown", "another host is cycled")), answer{
			Says: "Acting Withdrawing: Withdrawing what was asked for: The power cycle has not begun after 1h0m0s: another host is cycled",
			At:   "reboot 2",
			Last: "reboot 1 made RebootRemediation r-1, Withdrawn: The power cycle has not begun after 1h0m0s: another host is cycled",
		}},
		{"a power cycle has waited for its turn for a day", with(plan(reboot(), replace()), asks("reboot", 24*time.Hour)), answer{
			Says: "Acting Withdrawing: Withdrawing what was asked for: The power cycle has not begun after 1h0m0s",
			At:   "reboot 2",
			Last: "reboot 1 made RebootRemediation r-1, Withdrawn: The power cycle has not begun after 1h0m0s",
		}},
		{"built-in: a power cycle has waited for its turn for a day", with(builtin(reboot()), asks("reboot", 24*time.Hour)), answer{
			Says: "Acting Refused: The power cycle has not begun after 1h0m0s",
			Last: "reboot 1 made RebootRemediation r-1, asked",
		}},
		{"a power cycle begins", with(plan(reboot(), replace()), asks("reboot", time.Hour), stands), answer{
			Says: saysRebooting,
			Last: "reboot 1 made RebootRemediation r-1 since -1s, at work", Due: "29m59s", Again: "29m59s",
		}},
		{"a power cycle waits for a person", with(plan(reboot(), replace()), asks("reboot", time.Minute), func(f *Facts) { f.Request.Kept = "ann keeps the host off" }), answer{
			Says: "Acting Withdrawing: Withdrawing what was asked for: ann keeps the host off",
			At:   "reboot 2",
			Last: "reboot 1 made RebootRemediation r-1, Withdrawn: ann keeps the host off",
		}},
		{"a person begins to work on the host of a machine that is marked", with(plan(replace(), holdStep()), works("replace", time.Minute), keptOff), answer{
			Says: "Acting Withdrawing: Withdrawing what was asked for: ann keeps the host off",
			At:   "replace 2",
			Last: "replace 1 made MachineSet md-0, Withdrawn: ann keeps the host off",
		}},
		{"a power cycle can never begin", with(plan(reboot(), replace()), asks("reboot", time.Minute), requestSays("False", "no host"), func(f *Facts) { f.Request.Impossible = true }), answer{
			Says: "Acting Acting: no host; going on with step replace",
			At:   "replace 2",
			Last: "reboot 1 made RebootRemediation r-1, Impossible: no host",
		}},
		{"a power cycle has ended without having begun", with(plan(reboot(), replace()), asks("reboot", time.Minute), requestSays("False", "withdrawn")), answer{
			Says: "Pending Backoff: withdrawn; the step begins again later",
			At:   "reboot 2",
			Last: "reboot 1 made RebootRemediation r-1, NotBegun: withdrawn", Free: true, Due: "5s", Again: "5s",
		}},
		{"somebody has deleted a power cycle that waits", with(plan(reboot(), replace()), asks("reboot", time.Minute), func(f *Facts) { f.Request = nil }), answer{
			Says: "Pending Backoff: Somebody has deleted RebootRemediation r-1; the step begins again later",
			At:   "reboot 2",
			Last: "reboot 1 made RebootRemediation r-1, NotBegun: Somebody has deleted RebootRemediation r-1", Free: true, Due: "5s", Again: "5s",
		}},
		{"nobody can tell whether a power cycle waits", with(plan(reboot(), replace()), asks("reboot", 31*time.Minute), bounded, unreadable), answer{
			Says: saysRebooting,
			Last: "reboot 1 made RebootRemediation r-1, asked", Due: "29m0s", Again: "30s",
		}},
		{"nobody could tell for an hour whether a power cycle waits", with(plan(reboot(), replace()), asks("reboot", time.Hour), bounded, unreadable), answer{
			Says: "Acting Withdrawing: Withdrawing what was asked for: The power cycle has not begun after 1h0m0s: no rights",
			At:   "reboot 2",
			Last: "reboot 1 made RebootRemediation r-1, Withdrawn: The power cycle has not begun after 1h0m0s: no rights", Again: "30s",
		}},
		{"a power cycle began while it was taken back", with(plan(reboot(), replace()), asks("reboot", time.Hour), over(v1alpha1.ResultWithdrawn, "reboot"), made("RebootRemediation"), stands), answer{
			Says: "Acting Withdrawing: Withdrawing what is left of an attempt that is over",
			At:   "reboot 2",
			Last: "reboot 1 made RebootRemediation r-1 since -1s, Aborted: It did not help",
		}},
		{"the act of an attempt can never take effect", with(plan(reboot(), replace()), begins("reboot", time.Minute), impossible), answer{
			Says: "Acting Acting: the kind is not installed; going on with step replace",
			At:   "replace 2",
			Last: "reboot 1, Impossible: the kind is not installed",
		}},
		{"the first act can never take effect", with(plan(reboot(), replace()), impossible), answer{
			Says: "Acting Acting: the kind is not installed; going on with step replace",
			At:   "replace 2",
			Last: "reboot 1, Impossible: the kind is not installed",
		}},
		{"built-in: the owner has not answered for long", with(builtin(replace()), asks("replace", AnswerTime), bounded), answer{
			Says: "Acting Withdrawing: Withdrawing what was asked for: MachineSet md-0 has not answered for 10m0s",
			At:   "replace 2",
			Last: "replace 1 made MachineSet md-0, Withdrawn: MachineSet md-0 has not answered for 10m0s",
		}},
		{"another controller has not answered for long", with(plan(replace()), func(f *Facts) { f.Machine.Owner = thing("OtherControlPlane", "cp") }, asks("replace", AnswerTime), bounded), answer{
			Says: "Acting Acting: Step replace: waits for OtherControlPlane cp to replace the machine; a person decides if that does not help",
			Last: "replace 1 made OtherControlPlane cp, asked", Due: "50m0s", Again: "50m0s",
		}},
		{"the owner defers for an hour", with(plan(replace()), asks("replace", time.Hour), owner(MarkDeferred, "too many at once"), bounded), answer{
			Says: "Acting Withdrawing: Withdrawing what was asked for: MachineSet md-0 has not replaced the machine for 1h0m0s, and says: too many at once",
			At:   "replace 2",
			Last: "replace 1 made MachineSet md-0, Withdrawn: MachineSet md-0 has not replaced the machine for 1h0m0s, and says: too many at once",
		}},
		{"a mark was taken back once more", with(plan(replace()), asks("replace", 2*time.Hour), over(v1alpha1.ResultNotBegun, "replace"), asks("replace", time.Hour), over(v1alpha1.ResultWithdrawn, "replace"), withdrawing), answer{
			Says: "Pending Backoff: It did not help; the step begins again later",
			At:   "replace 3",
			Last: "replace 2 made MachineSet md-0, NotBegun: It did not help", Free: true, Due: "10s", Again: "10s",
		}},
		{"a mark was taken back for the last time of a day", with(plan(replace()), asks("replace", 25*time.Hour), over(v1alpha1.ResultWithdrawn, "replace"), withdrawing), answer{
			Says: "Held NotBegun: Step replace has not begun for a day; the last attempt: It did not help; a person decides",
			At:   "2",
			Last: "replace 1 made MachineSet md-0, NotBegun: It did not help", Free: true, Again: "5s",
		}},
		{"an attempt that asked nobody follows one that was taken back long ago", with(plan(replace()), asks("replace", 2*time.Hour), over(v1alpha1.ResultNotBegun, "replace"), endedBefore(time.Minute), begins("replace", time.Second), gateClosed), answer{
			Says: "Pending GateClosed: 3 of 3 are not healthy",
			At:   "replace 3",
			Last: "replace 2, NotBegun: 3 of 3 are not healthy", Free: true, Due: "5s", Again: "5s",
		}},
		{"an attempt that asked nobody follows one that was just taken back", with(plan(replace()), asks("replace", 2*time.Hour), over(v1alpha1.ResultNotBegun, "replace"), endedBefore(59*time.Second), begins("replace", time.Second), gateClosed), answer{
			Says: "Pending GateClosed: 3 of 3 are not healthy",
			At:   "replace 3",
			Last: "replace 2 made MachineSet md-0, NotBegun: 3 of 3 are not healthy", Free: true, Due: "5s", Again: "5s",
		}},
		{"an approval is a day old", with(plan(approvedStep(replace())), asks("replace", 24*time.Hour), over(v1alpha1.ResultNotBegun, "replace"), decided(1, v1alpha1.AnswerApprove)), answer{
			Says: "Pending ApprovalRequired: Step replace waits for a person to approve it",
			At:   "replace 2",
			Last: "replace 1 made MachineSet md-0, NotBegun: It did not help", Free: true,
		}},
		{"an approval is a day old, and there is a new one", with(plan(approvedStep(replace())), asks("replace", 24*time.Hour), over(v1alpha1.ResultNotBegun, "replace"), decides(v1alpha1.AnswerApprove, "")), answer{
			Says: "Acting Acting: Step replace: waits for MachineSet md-0 to replace the machine; a person decides if that does not help",
			Last: "replace 2 (Approve), asked",
		}},
		{"a third power cycle is broken off after its host was off", with(plan(reboot(), replace()), works("reboot", 4*time.Hour), over(v1alpha1.ResultTimedOut, "reboot"),
			works("reboot", 3*time.Hour), over(v1alpha1.ResultAborted, "reboot"), hostWasOff, works("reboot", 2*time.Hour), over(v1alpha1.ResultAborted, "reboot"), hostWasOff,
			works("reboot", time.Minute), keptOff, func(f *Facts) { f.Request.HostOffAt = noon }), answer{
			Says: "Acting Withdrawing: Withdrawing what was asked for: ann keeps the host off",
			At:   "replace 5",
			Last: "reboot 4 made RebootRemediation r-4 since -1m0s, Aborted: ann keeps the host off",
			Due:  "20s", Again: "20s",
		}},
		{"a third power cycle is broken off before its host is off", with(plan(reboot(), replace()), works("reboot", 4*time.Hour), over(v1alpha1.ResultTimedOut, "reboot"),
			works("reboot", 3*time.Hour), over(v1alpha1.ResultAborted, "reboot"), hostWasOff, works("reboot", 2*time.Hour), over(v1alpha1.ResultAborted, "reboot"), hostWasOff,
			works("reboot", time.Minute), keptOff), answer{
			Says: "Acting Withdrawing: Withdrawing what was asked for: ann keeps the host off",
			At:   "reboot 5",
			Last: "reboot 4 made RebootRemediation r-4 since -1m0s, Aborted: ann keeps the host off",
			Due:  "20s", Again: "20s",
		}},
		{"the owner has deleted the machine before the mark could be taken back", with(plan(replace()), asks("replace", time.Hour), over(v1alpha1.ResultWithdrawn, "replace"), endedBefore(10*time.Minute), marked, deleting(time.Second)), answer{
			Says: saysDeleting,
			Last: "replace 1 made MachineSet md-0 since -1s, at work", Due: "59m59s", Again: "59m59s",
		}},
		{"somebody has deleted the machine later", with(plan(replace()), asks("replace", time.Hour), over(v1alpha1.ResultNotBegun, "replace"), noSlot, endedBefore(2*time.Minute), deleting(time.Second)), answer{
			Says: "Pending HeldByOthers: Somebody has deleted the machine",
			At:   "replace 2",
			Last: "replace 1 made MachineSet md-0, NotBegun: It did not help", Free: true,
		}},
		{"the machine is gone within a minute", with(plan(replace()), asks("replace", time.Hour), over(v1alpha1.ResultNotBegun, "replace"), noSlot, goneNow), answer{
			Says: "Acting WaitingForReplacement: The machine is gone; waiting for its replacement",
			Last: "replace 1 made MachineSet md-0 since 0s, at work", Free: true, Due: "1h0m0s", Again: "1h10m0s",
		}},
		{"a request could not be read for an hour, in which nobody looked", with(plan(request(), replace()), works("request", 2*time.Hour), over(v1alpha1.ResultTimedOut, "replace"), made("Fix"), unreadable, endedBefore(time.Hour), stoppedBy(byUnreadable, time.Hour), withdrawing), answer{
			Does: "WithdrawRequest 1",
			At:   "replace 2",
			Last: "request 1 made Fix r-1 since -2h0m0s, TimedOut: It did not help", Again: "30s",
		}},
		{"a request has been deleted in vain for an hour", with(plan(request(), replace()), works("request", 2*time.Hour), over(v1alpha1.ResultTimedOut, "replace"), made("Fix"), unreadable, endedBefore(time.Hour), stoppedBy(byUnreadable, time.Hour), withdrawing, func(f *Facts) { f.Request.Deleting = true }), answer{
			Says: "Held Unreadable: Sickbay has given up withdrawing Fix r-1 but cannot see whether it is gone: no rights; a person decides",
			At:   "replace 2",
			Last: "request 1 made Fix r-1 since -2h0m0s, TimedOut: It did not help", Free: true, Again: "1h0m0s",
		}},
		{"a request has been deleted, and nobody can tell whether it is gone", with(plan(request(), replace()), works("request", 2*time.Hour), over(v1alpha1.ResultTimedOut, "replace"), made("Fix"), unreadable, stoppedBy(byUnreadable, time.Minute), withdrawing,
			func(f *Facts) { f.Request.Deleting = true }), answer{
			Says: "Acting Withdrawing: Sickbay has deleted Fix r-1 but cannot see whether it is gone: no rights",
			At:   "replace 2",
			Last: "request 1 made Fix r-1 since -2h0m0s, TimedOut: It did not help", Again: "30s",
		}},
		{"nobody works on the host any more", with(plan(replace()), waits("replace", 1), noSlot, hostWasKept, hasHost), answer{
			Says: "Pending Backoff: Nobody keeps the host of the machine any more; waiting for its Node to come back",
			At:   "replace 1",
			Free: true, Due: "20m0s", Again: "20m0s",
		}},
		{"nobody works on the host any more, and a person wants it at once", with(plan(replace()), waits("replace", 1), noSlot, hostWasKept, hasHost, decides(v1alpha1.AnswerRetry, "")), answer{Says: saysNoSlot, At: "replace 1", Free: true}},
	}
}
