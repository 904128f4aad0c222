package memory_test

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/memory"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

const week = 7 * 24 * time.Hour

// now is when all incidents of these tests begin.
var now = build.Epoch.Add(30 * 24 * time.Hour)

// metal is a plan that has every kind of step: two reboots, evidence, and two replacements.
func metal() []v1alpha1.RemediationStep {
	return []v1alpha1.RemediationStep{
		{Name: "wait", Action: v1alpha1.ActionWait},
		{Name: "reboot", Action: v1alpha1.ActionReboot, Attempts: 2},
		{Name: "evidence", Action: v1alpha1.ActionRequest, DoneWhen: v1alpha1.DoneWhenRequestSucceeded},
		{Name: "reimage", Action: v1alpha1.ActionRequest, DoneWhen: v1alpha1.DoneWhenMachineHealthy},
		{Name: "replace", Action: v1alpha1.ActionReplace, Attempts: 2},
		{Name: "hold", Action: v1alpha1.ActionHold},
	}
}

// incident is machine m on host h, which is not ready.
func incident() memory.Incident {
	return memory.Incident{MachineName: "m", MachineUID: "m", HostUID: "h", Reason: "ReadyUnhealthy"}
}

type change func(*v1alpha1.MachineRemediation)

// ended is a record of machine m on host h that ended an hour ago.
func ended(name string, changes ...change) *v1alpha1.MachineRemediation {
	r := &v1alpha1.MachineRemediation{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}}
	machine("m")(r)
	r.Spec.HostRef = &v1alpha1.RemediationReference{UID: "h"}
	r.Spec.Finding.Reason = "ReadyUnhealthy"
	r.Spec.Steps = metal()
	ago(time.Hour)(r)
	for _, change := range changes {
		change(r)
	}
	return r
}

func ago(d time.Duration) change {
	return func(r *v1alpha1.MachineRemediation) { r.Status.CompletionTime = new(metav1.NewTime(now.Add(-d))) }
}

func open(r *v1alpha1.MachineRemediation) { r.Status.CompletionTime = nil }

// machine has a record be about a machine, whose name is its UID.
func machine(uid types.UID) change {
	return func(r *v1alpha1.MachineRemediation) { r.Spec.MachineRef.Name, r.Spec.MachineRef.UID = string(uid), uid }
}

func host(uid types.UID) change {
	return func(r *v1alpha1.MachineRemediation) { r.Spec.HostRef.UID = uid }
}

func noHost(r *v1alpha1.MachineRemediation) { r.Spec.HostRef = nil }

func reason(reason string) change {
	return func(r *v1alpha1.MachineRemediation) { r.Spec.Finding.Reason = reason }
}

func steps(steps ...v1alpha1.RemediationStep) change {
	return func(r *v1alpha1.MachineRemediation) { r.Spec.Steps = steps }
}

// tried adds an attempt of a step that somebody has begun.
func tried(step string, result v1alpha1.AttemptResult) change {
	return func(r *v1alpha1.MachineRemediation) {
		asked(step, result)(r)
		r.Status.Attempts[len(r.Status.Attempts)-1].BeganAt = new(metav1.NewTime(now.Add(-2 * time.Hour)))
	}
}

// asked adds an attempt of a step that nobody has begun.
func asked(step string, result v1alpha1.AttemptResult) change {
	return func(r *v1alpha1.MachineRemediation) {
		attempted(step, result)(r)
		r.Status.Attempts[len(r.Status.Attempts)-1].ObjectRef = &v1alpha1.RemediationObjectReference{Kind: "Machine"}
	}
}

// brokenOff adds an attempt of a step that was broken off after the host was off.
func brokenOff(step string) change {
	return func(r *v1alpha1.MachineRemediation) {
		tried(step, v1alpha1.ResultAborted)(r)
		r.Status.Attempts[len(r.Status.Attempts)-1].HostOffAt = new(metav1.NewTime(now.Add(-2 * time.Hour)))
	}
}

// attempted adds an attempt of a step without an act.
func attempted(step string, result v1alpha1.AttemptResult) change {
	return func(r *v1alpha1.MachineRemediation) {
		r.Status.Attempts = append(r.Status.Attempts, v1alpha1.RemediationAttempt{
			Number: int32(len(r.Status.Attempts) + 1), Step: step, Result: result,
		})
	}
}

// replacedBy says which machine fell sick in the place of this one.
func replacedBy(machine types.UID) change {
	return func(r *v1alpha1.MachineRemediation) {
		r.Status.ReplacementRef = &v1alpha1.RemediationReference{Name: recordstore.Name(string(machine), machine, 9)}
	}
}

// says has a record have ended for a reason.
func says(reason string) change {
	return func(r *v1alpha1.MachineRemediation) {
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Reason: reason}}
	}
}
