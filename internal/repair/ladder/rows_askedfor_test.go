package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// askedBy is what somebody asks for in another way than by a command.
func askedBy(kind v1alpha1.RemediationRequesterKind, name string) Facts {
	return with(askedFor(Healthy), func(f *Facts) {
		f.Record.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: kind, Name: name}
	})
}

func byAnnotation() Facts {
	return with(askedBy(v1alpha1.AskedByAnnotation, "reboot.metal3.io"), func(f *Facts) { f.Record.Spec.Grant = 1 })
}

func unlimited(f *Facts) { f.Unlimited = true }

// keptByCycle: a power cycle waits for a person who keeps its host.
func keptByCycle(f *Facts) {
	f.Request.Kept = "Somebody wants the host h off (spec.online)"
	requestSays("Unknown", f.Request.Kept)(f)
}

const saysNoSlotToAsk = "Pending NoSlot: Step reboot waits for a slot of the MachineHealthCheck of the machine"

// keepsOff is what somebody asks for who wants the host kept off.
func keepsOff() Facts {
	return with(askedBy(v1alpha1.AskedByAnnotation, "reboot.metal3.io/PowerOff"), func(f *Facts) { f.Record.Spec.Steps[0].Until = v1alpha1.StepPowerOff })
}

// byHealthCheck is what the health check of another controller asks for.
func byHealthCheck(health Health) Facts {
	return with(askedBy(v1alpha1.AskedByHealthCheck, "md-0-x7"), is(health), func(f *Facts) {
		f.Record.Spec.Steps = []v1alpha1.RemediationStep{reboot(), replace()}
	})
}

func withdrawn(f *Facts) { f.Withdrawn = "Somebody has removed the annotation reboot.metal3.io" }

// superseded has somebody have asked for something else.
func superseded(f *Facts) { f.Safety.Superseded = Cause{What: AskedInstead, Name: "x", Detail: "ann"} }

// cycleAborted has the power cycle have ended early.
func cycleAborted(f *Facts) {
	requestSays("False", "The host h is used by somebody else")(f)
	f.Request.Aborted = true
}

func isDeleting(f *Facts) { f.Request.Deleting = true }

const saysAsked = "Acting Acting: Step reboot: waits for the power cycle of its host; nothing follows if that fails"

// rowsAskedFor: somebody has asked without a finding.
func rowsAskedFor() []row {
	asked, begun := asks("reboot", time.Minute), works("reboot", time.Minute)
	return []row{
		{
			"withdrawn before the act of an attempt",
			with(byAnnotation(), begins("reboot", time.Minute), withdrawn),
			answer{
				Says: "Ended Ended: Somebody has removed the annotation reboot.metal3.io",
				At:   "reboot 2",
				Last: "reboot 1, NotBegun: Somebody has removed the annotation reboot.metal3.io", Ends: "False Cancelled",
			},
		},
		{
			"withdrawn while the host is cycled",
			with(byAnnotation(), begun, withdrawn),
			answer{
				Says: "Acting Withdrawing: Somebody has removed the annotation reboot.metal3.io",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Aborted: Somebody has removed the annotation reboot.metal3.io",
			},
		},
		{
			"withdrawn, and the cycle is being finished",
			with(byAnnotation(), begun, over(v1alpha1.ResultAborted, "reboot"), made("RebootRemediation"), withdrawing, withdrawn, isDeleting),
			answer{
				Says: "Acting Withdrawing: Waiting until RebootRemediation r-1 is gone",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Aborted: It did not help", Again: "30s",
			},
		},
		{
			"a pause before the cycle that somebody asked for begins",
			with(askedFor(Healthy), asked, paused),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: Cluster spec.paused is set to true",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1, Withdrawn: Cluster spec.paused is set to true",
			},
		},
		{
			"a pause while the cycle that somebody asked for is at work",
			with(askedFor(Healthy), begun, paused),
			answer{
				Says: saysAsked,
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, at work", Due: "29m0s", Again: "29m0s",
			},
		},
		{
			"a hold while somebody has the host kept off",
			with(keepsOff(), begun, onHold, requestSays("Unknown", "The host is off")),
			answer{
				Says: "Acting Acting: Step reboot: The host is off",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, at work", Again: "1h0m0s",
			},
		},
		{
			"the Cluster is being deleted while somebody has the host kept off",
			with(keepsOff(), begun, terminating),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: The Cluster is being deleted",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Aborted: The Cluster is being deleted",
			},
		},
		{
			"somebody has the host kept off for longer than a step may take",
			with(keepsOff(), works("reboot", 99*time.Hour), requestSays("Unknown", "The host is off, as reboot.metal3.io/PowerOff asks")),
			answer{
				Says: "Acting Acting: Step reboot: The host is off, as reboot.metal3.io/PowerOff asks",
				Last: "reboot 1 made RebootRemediation r-1 since -99h0m0s, at work",
			},
		},
		{
			"the cycle that somebody asked for has failed",
			with(byAnnotation(), begun, requestSays("False", "The host does not come up")),
			answer{
				Says: "Ended Ended: RebootRemediation r-1 has failed: The host does not come up",
				At:   "2",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Failed: RebootRemediation r-1 has failed: The host does not come up", Ends: "False NotDone",
			},
		},
		{
			"the cycle that somebody asked for takes too long",
			with(byAnnotation(), works("reboot", time.Hour)),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: Step reboot is not done after 30m0s",
				At:   "2",
				Last: "reboot 1 made RebootRemediation r-1 since -1h0m0s, TimedOut: Step reboot is not done after 30m0s",
			},
		},
		{
			"the cycle that somebody asked for was aborted",
			with(byAnnotation(), begun, cycleAborted),
			answer{
				Says: "Pending Backoff: The host h is used by somebody else; the step begins again later",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Aborted: The host h is used by somebody else",
				Free: true,
				Due:  "5s", Again: "5s",
			},
		},
		{
			"it was aborted for the third time, and the host was off",
			with(byAnnotation(), begun, hostWasOff, over(v1alpha1.ResultAborted, "reboot"), begun, hostWasOff, over(v1alpha1.ResultAborted, "reboot"),
				begun, hostWasOff, cycleAborted),
			answer{
				Says: "Ended Ended: The host h is used by somebody else",
				At:   "4",
				Last: "reboot 3 made RebootRemediation r-3 since -1m0s, Aborted: The host h is used by somebody else", Ends: "False NotDone",
			},
		},
		{
			"somebody has deleted the cycle that somebody asked for",
			with(byAnnotation(), begun, cycleAborted, func(f *Facts) { f.Request.Deleting = true }),
			answer{
				Says: "Ended Ended: Somebody has deleted RebootRemediation r-1", At: "2", Ends: "False NotDone",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Failed: Somebody has deleted RebootRemediation r-1",
			},
		},
		{
			"the health check of another controller asks",
			byHealthCheck(Sick),
			answer{
				Says: "Acting Acting: Step reboot, 1 of 2: waits for the power cycle of its host; one more attempt follows if that does not help",
				Last: "reboot 1, asked",
			},
		},
		{
			"it asks, and the machine recovers before the cycle begins",
			with(byHealthCheck(Healthy), asked),
			answer{
				Says: "Acting Withdrawing: The machine is healthy; withdrawing what was asked for",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1, Withdrawn: The machine has recovered",
			},
		},
		{
			"it asks, and the machine has recovered",
			with(byHealthCheck(Healthy), begun, recovering(0)),
			answer{
				Says: "Ended Ended: The machine is healthy",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Succeeded: The machine is healthy", Ends: "True Recovered",
			},
		},
		{
			"it asks, and the cycle has failed",
			with(byHealthCheck(Sick), begun, requestSays("False", "The host does not come up")),
			answer{
				Says: "Acting Acting: RebootRemediation r-1 has failed: The host does not come up; trying step reboot again",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Failed: RebootRemediation r-1 has failed: The host does not come up",
			},
		},
		{
			"it asks, and the owner refuses",
			with(byHealthCheck(Sick), asks("replace", time.Minute), owner(MarkRefused, "too few")),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: MachineSet md-0 cannot remediate the machine: too few",
				At:   "2",
				Last: "replace 1 made MachineSet md-0, Impossible: MachineSet md-0 cannot remediate the machine: too few",
			},
		},
		{
			"it asks, and a pause comes while the host is cycled",
			with(byHealthCheck(Sick), begun, paused),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: Cluster spec.paused is set to true",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Aborted: Cluster spec.paused is set to true",
			},
		},
		{
			"it asks, and somebody asks for something else",
			with(byHealthCheck(Sick), asked, superseded),
			answer{
				Says: "Acting Withdrawing: MachineRemediation x is what ann asked for instead",
				At:   "reboot 2",
				Last: "reboot 1 made RebootRemediation r-1, Withdrawn: MachineRemediation x is what ann asked for instead",
			},
		},
		{
			"an annotation asks, and has no slot",
			with(byAnnotation(), noGrant),
			answer{Says: saysNoSlotToAsk, At: "reboot 1", Free: true},
		},
		{
			"an annotation asks, and nobody limits how many hosts are cycled",
			with(byAnnotation(), noGrant, unlimited),
			answer{
				Says: "Acting Acting: Step reboot: waits for the power cycle of its host; nothing follows if that fails",
				Last: "reboot 1, asked", Free: true,
			},
		},
		{
			"the cycle has not begun, and a person keeps the host",
			with(byAnnotation(), unlimited, asks("reboot", time.Minute), keptByCycle),
			answer{Says: "Acting Acting: Step reboot: Somebody wants the host h off (spec.online)", Last: "reboot 1 made RebootRemediation r-1, asked"},
		},
		{
			"the cycle has not begun, a person keeps the host, and others wait for the slot",
			with(byAnnotation(), asks("reboot", time.Minute), keptByCycle),
			answer{
				Says: "Acting Withdrawing: Withdrawing what was asked for: Somebody wants the host h off (spec.online)",
				At:   "reboot 2", Last: "reboot 1 made RebootRemediation r-1, Withdrawn: Somebody wants the host h off (spec.online)",
			},
		},
		{
			"the cycle has succeeded as who asked takes it back",
			with(byAnnotation(), works("reboot", time.Minute), requestSays("True", "The Node is back"), withdrawn),
			answer{
				Says: "Ended Ended: RebootRemediation r-1 has succeeded", At: "2", Ends: "True Done",
				Last: "reboot 1 made RebootRemediation r-1 since -1m0s, Succeeded: RebootRemediation r-1 has succeeded",
			},
		},
	}
}
