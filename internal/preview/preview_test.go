package preview_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/preview"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// text formats a proposal as a command prints it.
func text(title string, lines []preview.Line) string {
	out := []string{title}
	for _, line := range lines {
		out = append(out, line.Label+": "+line.Text)
	}
	return strings.Join(out, "\n")
}

func paused(f *ladder.Facts) {
	f.Safety.Paused = ladder.Cause{What: ladder.Annotated, Name: "cluster.x-k8s.io/paused"}
}
func undecided(f *ladder.Facts) { f.Machine.Health = ladder.Undecided }

// askedByAnn has ann ask for the repair of a machine that is healthy.
func askedByAnn(f *ladder.Facts) {
	f.Record.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByPerson, Name: "ann", Reason: "new DIMMs"}
	f.Machine.Health = ladder.Healthy
}

// begun has somebody begin what was asked for.
func begun(f *ladder.Facts) {
	f.Request = new(*f.Request)
	f.Request.BeganAt, f.Request.Message = noon, "The host is off"
}

// failed makes the request of the current attempt fail.
func failed(f *ladder.Facts) {
	f.Request = new(*f.Request)
	f.Request.BeganAt, f.Request.Succeeded, f.Request.Message = noon, "False", "the BMC is gone"
}

func wants(answer v1alpha1.Answer, step string) preview.Asked {
	return preview.Asked{Answer: answer, Step: step, By: "alice", Reason: "INC-7", Command: "sickbay"}
}

const sickLine = "Sick: since 2026-06-01T11:59:00Z: Node condition Ready is Unknown for more than 5m0s\n"

// TestPropose: what the proposal says before a decision is written, and what the ladder then does.
func TestPropose(t *testing.T) {
	heldAfterReboots := func() *model { return newModel(reboot, ask).settle().as(failed).as(failed) }
	tests := map[string]struct {
		model *model
		asked preview.Asked
		want  string
		after string
	}{
		"approve, with a slot": {
			newModel(approved(replace)).as(func(f *ladder.Facts) { f.Record.Spec.Grant = 2 }).as(func(f *ladder.Facts) { f.Record.Spec.Grant = 3 }),
			wants(v1alpha1.AnswerApprove, ""),
			"Approve step replace on metal-3 (attempt 1 of mr/metal-3-5f2c9d1e-1)\n" + sickLine +
				"Now: Step replace waits for a person to approve it\n" +
				"Does: MachineSet md-0 is asked to replace the machine: the machine is deleted, with all that is on its disks, and another is made\n" +
				"When: As soon as MachineHealthCheck metal grants it a slot: at once, unless a limit is reached\n" +
				"By: alice\nReason: INC-7",
			"Acting, step replace, attempt 1: Step replace: waits for MachineSet md-0 to replace the machine; a person decides if that does not help",
		},
		"approve evidence, while nobody knows whether the machine is sick": {
			newModel(watch, approved(collect)).settle().after(11 * time.Minute).as(undecided),
			wants(v1alpha1.AnswerApprove, ""),
			"Approve step collect on metal-3 (attempt 2 of mr/metal-3-5f2c9d1e-1)\n" + sickLine +
				"Now: Sickbay cannot tell at the moment whether the machine is healthy\n" +
				"Does: Makes a LogBundle from LogBundleTemplate logs, and goes on once that has succeeded\n" +
				"When: Not yet: Sickbay cannot tell at the moment whether the machine is healthy\n" +
				"By: alice\nReason: INC-7",
			"Pending, step collect, attempt 2: Sickbay cannot tell at the moment whether the machine is healthy",
		},
		"deny": {
			newModel(approved(replace)).settle(), wants(v1alpha1.AnswerDeny, ""),
			"Deny step replace on metal-3 (attempt 1 of mr/metal-3-5f2c9d1e-1)\n" + sickLine +
				"Now: Step replace waits for a person to approve it\n" +
				"Does: Nothing more is done until somebody answers retry; the repair ends by itself if the machine recovers or is deleted\n" +
				"When: At once\nBy: alice\nReason: INC-7",
			"Held, step , attempt 2: Deny by alice: INC-7; a person decides",
		},
		"cancel a power cycle": {
			newModel(reboot, replace).settle(), wants(v1alpha1.AnswerCancel, ""),
			"Cancel the repair of metal-3 (attempt 1 of mr/metal-3-5f2c9d1e-1)\n" + sickLine +
				"Now: Step reboot, 1 of 2: waits for the power cycle of its host; one more attempt follows if that does not help\n" +
				"Withdraws: RebootRemediation metal-3-5f2c9d1e-1-1\n" +
				"Does: Nothing more is done until somebody answers retry; the repair ends by itself if the machine recovers or is deleted\n" +
				"When: At once\nBy: alice\nReason: INC-7",
			"Held, step , attempt 2: Cancel by alice: INC-7; a person decides",
		},
		"cancel a request, during a pause": {
			newModel(fix).settle().as(paused), wants(v1alpha1.AnswerCancel, ""),
			"Cancel the repair of metal-3 (attempt 1 of mr/metal-3-5f2c9d1e-1)\n" + sickLine +
				"Now: The Machine has the annotation cluster.x-k8s.io/paused\n" +
				"Withdraws: FixRemediation metal-3-5f2c9d1e-1-1\n" +
				"Does: Nothing more is done until somebody answers retry; the repair ends by itself if the machine recovers or is deleted\n" +
				"When: At once\nBy: alice\nReason: INC-7",
			"Held, step , attempt 2: Cancel by alice: INC-7; a person decides",
		},
		"cancel too late": {
			newModel(replace).settle().as(func(f *ladder.Facts) { f.Machine.DeletingSince = noon }), wants(v1alpha1.AnswerCancel, ""),
			"Cancel the repair of metal-3 (attempt 1 of mr/metal-3-5f2c9d1e-1)\n" + sickLine +
				"Now: Step replace: the machine is being deleted; waits until it is gone\n" +
				"Withdraws: nothing\n" +
				"Too late: the machine has been in deletion since 2026-06-01T12:00:00Z, and nothing brings it back\n" +
				"Does: Nothing more is done until somebody answers retry; the repair ends by itself if the machine recovers or is deleted\n" +
				"When: At once\nBy: alice\nReason: INC-7",
			"Held, step , attempt 2: Cancel by alice: INC-7; a person decides",
		},
		"retry the last step": {
			heldAfterReboots(), wants(v1alpha1.AnswerRetry, ""),
			"Retry metal-3 from step reboot (attempt 3 of mr/metal-3-5f2c9d1e-1)\n" + sickLine +
				"Now: Step ask stops the plan; a person decides\n" +
				"Does: Its host is power-cycled: off, proven off, on. What runs there ends; the disks stay as they are. 2 fresh attempts, 30m each\n" +
				"When: As soon as MachineHealthCheck metal grants it a slot: at once, unless a limit is reached\nBy: alice\nReason: INC-7",
			"Acting, step reboot, attempt 3: Step reboot, 1 of 2: waits for the power cycle of its host; one more attempt follows if that does not help",
		},
		"retry another step, while the record waits in line": {
			newModel(reboot, replace).as(func(f *ladder.Facts) { f.Record.Spec.Grant = 0 }), wants(v1alpha1.AnswerRetry, "replace"),
			"Retry metal-3 from step replace (attempt 1 of mr/metal-3-5f2c9d1e-1)\n" + sickLine +
				"Now: Step reboot waits for a slot of MachineHealthCheck metal\n" +
				"Does: MachineSet md-0 is asked to replace the machine: the machine is deleted, with all that is on its disks, and another is made. 1 fresh attempt, 1h each\n" +
				"When: As soon as MachineHealthCheck metal grants it a slot: at once, unless a limit is reached\nBy: alice\nReason: INC-7",
			"Acting, step replace, attempt 1: Step replace: waits for MachineSet md-0 to replace the machine; a person decides if that does not help",
		},
		"retry instead of what somebody else has just said": {
			newModel(watch, replace).settle().as(paused).as(func(f *ladder.Facts) { f.Record.Status.Attempts = nil }).
				writes(v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerCancel, By: "bob"}),
			wants(v1alpha1.AnswerRetry, "replace"),
			"Retry metal-3 from step replace (attempt 1 of mr/metal-3-5f2c9d1e-1)\n" + sickLine +
				"Now: The Machine has the annotation cluster.x-k8s.io/paused\n" +
				"Instead of: Cancel by bob\n" +
				"Does: MachineSet md-0 is asked to replace the machine: the machine is deleted, with all that is on its disks, and another is made. 1 fresh attempt, 1h each\n" +
				"When: Not yet: The Machine has the annotation cluster.x-k8s.io/paused\nBy: alice\nReason: INC-7",
			"Pending, step watch, attempt 1: The Machine has the annotation cluster.x-k8s.io/paused",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := preview.Propose(tt.model.view(), tt.asked, tt.model.now)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, text(p.Title, p.Lines)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			s := tt.model.writes(p.Decision).settle().granted().f.Record.Status
			got := fmt.Sprintf("%s, step %s, attempt %d: %s", s.Phase, s.Step, s.Attempt, meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionProgressing).Message)
			if diff := cmp.Diff(tt.after, got); diff != "" {
				t.Errorf("afterwards (-want +got):\n%s", diff)
			}
			if p, err := preview.Propose(tt.model.view(), tt.asked, tt.model.now); err != nil || p.Already == "" {
				t.Errorf("asked once more: %+v, %v", p, err)
			}
		})
	}
}

// TestCancelWhatAPersonAskedFor: it ends, and nobody is left to retry it. The host comes on if anything has begun.
func TestCancelWhatAPersonAskedFor(t *testing.T) {
	keepsOff := v1alpha1.RemediationStep{Name: "reboot", Action: v1alpha1.ActionReboot, Until: v1alpha1.StepPowerOff}
	const asked = "Cancel the power cycle of metal-3 (attempt 1 of mr/metal-3-5f2c9d1e-1)\nAsked by: ann: new DIMMs\n"
	for want, w := range map[string]*model{
		asked + "Now: Step reboot: The host is off\nWithdraws: RebootRemediation metal-3-5f2c9d1e-1-1\n" +
			"Does: The host comes on, and this request ends as Cancelled\nWhen: At once\nBy: alice\nReason: INC-7": newModel(keepsOff).with(askedByAnn).settle().as(begun),
		asked + "Withdraws: nothing\nDoes: This request ends as Cancelled\nWhen: At once\nBy: alice\nReason: INC-7": newModel(keepsOff).with(askedByAnn),
	} {
		p, err := preview.Propose(w.view(), wants(v1alpha1.AnswerCancel, ""), w.now)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, text(p.Title, p.Lines)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestProposeWithoutTheMachine: a person who may read only the record learns what the record says.
func TestProposeWithoutTheMachine(t *testing.T) {
	w := newModel(approved(replace)).settle()
	v := preview.View{Facts: ladder.Alone(w.f.Record), MachineUnread: true, Unread: []string{"Machine metal-3"}}
	p, err := preview.Propose(v, wants(v1alpha1.AnswerApprove, ""), w.now)
	if err != nil {
		t.Fatal(err)
	}
	got := text(p.Title, p.Lines)
	for _, want := range []string{
		"Does: The machine is deleted, with all that is on its disks; the controller that owns it, if one does, makes another",
		"Not seen: you may not read Machine metal-3",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// TestProposeRefuses: Propose rejects decisions that would change nothing, and says why.
func TestProposeRefuses(t *testing.T) {
	gone := func(f *ladder.Facts) { f.Machine = ladder.Machine{Gone: true} }
	tests := map[string]struct {
		model *model
		asked preview.Asked
		want  string
	}{
		"ended": {
			newModel(reboot).settle().as(gone), wants(v1alpha1.AnswerRetry, ""),
			"mr/metal-3-5f2c9d1e-1 ended at 2026-06-01T12:00:00Z, so there is nothing to decide: The machine is gone, but not because of this remediation",
		},
		"deleted": {
			newModel(fix).settle().with(func(f *ladder.Facts) {
				f.Record.DeletionTimestamp = new(metav1.NewTime(noon))
				f.Safety.Paused = ladder.Said("It is paused")
			}),
			wants(v1alpha1.AnswerCancel, ""),
			"mr/metal-3-5f2c9d1e-1 is being deleted, so there is nothing to decide: what it asked for is withdrawn, and it goes",
		},
		"not looked after": {
			newModel(reboot).settle().with(func(f *ladder.Facts) { f.Safety.Unmanaged = ladder.Cause{What: ladder.NotSelected} }),
			wants(v1alpha1.AnswerCancel, ""),
			"mr/metal-3-5f2c9d1e-1 is about to end, so there is nothing to decide: No MachineHealthCheck selects the machine any more",
		},
		"nothing to approve": {
			newModel(reboot).settle(), wants(v1alpha1.AnswerApprove, ""),
			"mr/metal-3-5f2c9d1e-1 waits for no approval: it is Acting. Step reboot, 1 of 2: waits for the power cycle of its host; one more attempt follows if that does not help",
		},
		"nothing to deny": {
			newModel(watch).settle(), wants(v1alpha1.AnswerDeny, ""),
			"mr/metal-3-5f2c9d1e-1 waits for no approval, so there is nothing to deny. To stop the repair: sickbay cancel mr/metal-3-5f2c9d1e-1 -n fleet. " +
				"It is Acting. Step watch: waits for the machine to recover by itself; a person decides if that does not help",
		},
		"nothing to deny of what a person asked for, on a healthy machine": {
			newModel(v1alpha1.RemediationStep{Name: "reboot", Action: v1alpha1.ActionReboot, Until: v1alpha1.StepPowerOff}).with(askedByAnn).settle(), wants(v1alpha1.AnswerDeny, ""),
			"mr/metal-3-5f2c9d1e-1 waits for no approval, so there is nothing to deny. To call off what ann has asked for: sickbay cancel mr/metal-3-5f2c9d1e-1 -n fleet. " +
				"It is Acting. Step reboot: waits for the power cycle of its host; nothing follows if that fails",
		},
		"an attempt at work": {
			newModel(reboot).settle(), wants(v1alpha1.AnswerRetry, ""),
			"attempt 1 of mr/metal-3-5f2c9d1e-1 is at work (step reboot). Retry once it is over, or stop it first: sickbay cancel mr/metal-3-5f2c9d1e-1 -n fleet",
		},
		"healthy": {
			newModel(reboot).settle().as(func(f *ladder.Facts) { f.Machine.Health = ladder.Healthy }), wants(v1alpha1.AnswerRetry, ""),
			"machine metal-3 has recovered, so there is nothing to retry: it is Probation. The machine is healthy, and has to stay healthy",
		},
		"a step that leaves it to a person": {
			newModel(reboot, ask).settle().as(failed).as(failed), wants(v1alpha1.AnswerRetry, "ask"),
			"step ask does nothing by itself: it waits for a person",
		},
		"a step that begins by itself": {
			newModel(reboot, replace).as(func(f *ladder.Facts) { f.Record.Spec.Grant = 0 }), wants(v1alpha1.AnswerRetry, "reboot"),
			"step reboot of mr/metal-3-5f2c9d1e-1 begins by itself, with all its attempts: it is Pending (NoSlot). Step reboot waits for a slot of MachineHealthCheck metal",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := preview.Propose(tt.model.view(), tt.asked, tt.model.now)
			if err == nil {
				t.Fatalf("proposed %+v", p)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckStep(t *testing.T) {
	r := newModel(watch, reboot, ask).f.Record
	if err := preview.CheckStep(r, "reboot"); err != nil {
		t.Error(err)
	}
	err, want := preview.CheckStep(r, "replace"), `mr/metal-3-5f2c9d1e-1 has no step "replace": it has watch, reboot, ask`
	if err == nil || err.Error() != want {
		t.Errorf("said %v, want %s", err, want)
	}
}
