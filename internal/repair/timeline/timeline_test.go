package timeline_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/timeline"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// ended is a record of a machine that fell sick at Epoch, was admitted a second later and acted upon a minute later, and whose record ended after ten
// minutes.
func ended(outcome string, action v1alpha1.Action, made string, edits ...func(*v1alpha1.MachineRemediation)) *v1alpha1.MachineRemediation {
	at := func(d time.Duration) *metav1.Time { return new(metav1.NewTime(build.Epoch.Add(d))) }
	r := &v1alpha1.MachineRemediation{}
	r.CreationTimestamp, r.Spec.Finding.Since = *at(time.Second), *at(0)
	r.Spec.Steps = []v1alpha1.RemediationStep{{Name: "step", Action: action}}
	r.Status.CompletionTime = at(10 * time.Minute)
	r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Reason: outcome}}
	r.Status.Attempts = []v1alpha1.RemediationAttempt{{
		Number: 1, Step: "step", StartTime: at(time.Minute), BeganAt: at(time.Minute), EndTime: at(10 * time.Minute), Result: v1alpha1.ResultSucceeded,
		ObjectRef: &v1alpha1.RemediationObjectReference{Kind: made, UID: "set"},
	}}
	for _, edit := range edits {
		edit(r)
	}
	return r
}

func planned(r *v1alpha1.MachineRemediation) {
	r.Spec.TemplateRef = &v1alpha1.PlanReference{Name: "metal"}
}

// TestOnlyWhatHelpedCounts: a machine that is gone says nothing about the one that should replace it, if nobody waited for that. How long it took until
// something was done is known all the same.
func TestOnlyWhatHelpedCounts(t *testing.T) {
	begun := map[string]time.Duration{"admit": time.Second, "act": 59 * time.Second}
	all := map[string]time.Duration{"admit": time.Second, "act": 59 * time.Second, "heal": 9 * time.Minute, "all": 10 * time.Minute}
	tests := map[string]struct {
		record              *v1alpha1.MachineRemediation
		succeeded, unproven bool
		parts               map[string]time.Duration
		deletion            time.Duration
	}{
		"built in: the machine is gone":          {ended(v1alpha1.ReasonReplaced, v1alpha1.ActionReplace, "MachineSet"), false, true, begun, 9 * time.Minute},
		"built in: nobody owned it":              {ended(v1alpha1.ReasonReplaced, v1alpha1.ActionReplace, "Machine"), false, true, begun, 9 * time.Minute},
		"built in: it recovered":                 {ended(v1alpha1.ReasonRecovered, v1alpha1.ActionReboot, "RebootRemediation"), true, false, all, 0},
		"a plan: its replacement is proven":      {ended(v1alpha1.ReasonReplaced, v1alpha1.ActionReplace, "MachineSet", planned), true, false, all, 0},
		"a plan: nobody owned it":                {ended(v1alpha1.ReasonReplaced, v1alpha1.ActionReplace, "Machine", planned), false, true, begun, 9 * time.Minute},
		"a plan: its replacement never came":     {ended(v1alpha1.ReasonUnproven, v1alpha1.ActionReplace, "MachineSet", planned), false, false, nil, 0},
		"a plan: its replacement is sick, too":   {ended(v1alpha1.ReasonReplacementFailed, v1alpha1.ActionReplace, "MachineSet", planned), false, false, nil, 0},
		"somebody else deleted it":               {ended(v1alpha1.ReasonMachineDeleted, v1alpha1.ActionReboot, "RebootRemediation"), false, false, nil, 0},
		"it recovered while its owner was asked": {ended(v1alpha1.ReasonRecoveredUnaided, v1alpha1.ActionReplace, "MachineSet"), false, false, nil, 0},
		"it is open, and its deletion has begun": {ended("", v1alpha1.ActionReplace, "MachineSet", func(r *v1alpha1.MachineRemediation) { r.Status.CompletionTime = nil }), false, false, nil, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := timeline.Of(tt.record)
			if got.Succeeded != tt.succeeded || got.Unproven != tt.unproven {
				t.Errorf("succeeded %t and unproven %t, want %t and %t", got.Succeeded, got.Unproven, tt.succeeded, tt.unproven)
			}
			if diff := cmp.Diff(tt.parts, got.Parts()); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
			owner, took := timeline.DeletionOf(tt.record)
			if took != tt.deletion || (owner == "set") != (took > 0) {
				t.Errorf("the deletion of a machine of %q took %s, want %s", owner, took, tt.deletion)
			}
		})
	}
}
