package pacing_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

var both = []v1alpha1.PacingDomain{v1alpha1.DomainOwner, v1alpha1.DomainFailureDomain}

type change func(*v1alpha1.MachineRemediation)

// record is an open one of a plan, an hour old.
func record(changes ...change) *v1alpha1.MachineRemediation {
	r := &v1alpha1.MachineRemediation{}
	r.UID, r.CreationTimestamp = "r", metav1.NewTime(now.Add(-time.Hour))
	r.Annotations = map[string]string{pacing.OwnerUIDAnnotation: "o", pacing.FailureDomainAnnotation: "z1"}
	r.Spec.TemplateRef = &v1alpha1.PlanReference{Name: "metal"}
	r.Spec.Steps = []v1alpha1.RemediationStep{
		{Name: "wait", Action: v1alpha1.ActionWait}, {Name: "reboot", Action: v1alpha1.ActionReboot},
		{Name: "evidence", Action: v1alpha1.ActionRequest, DoneWhen: v1alpha1.DoneWhenRequestSucceeded}, {Name: "replace", Action: v1alpha1.ActionReplace},
	}
	for _, change := range changes {
		change(r)
	}
	return r
}

func granted(r *v1alpha1.MachineRemediation)  { r.Spec.Grant++ }
func released(r *v1alpha1.MachineRemediation) { r.Status.ReleasedGrant = r.Spec.Grant }
func builtIn(r *v1alpha1.MachineRemediation)  { r.Spec.TemplateRef = nil }

// withAct adds an attempt that somebody has begun, with the times of its beginning and end; it has no end if that is 0.
func withAct(step, kind string, began, ended time.Duration) change {
	return func(r *v1alpha1.MachineRemediation) {
		attempt := v1alpha1.RemediationAttempt{
			Step: step, StartTime: ago(began + minute), BeganAt: ago(began), ObjectRef: &v1alpha1.RemediationObjectReference{Kind: kind, UID: "marked"},
		}
		if ended != 0 {
			attempt.EndTime, attempt.Result = ago(ended), v1alpha1.ResultFailed
		}
		r.Status.Attempts = append(r.Status.Attempts, attempt)
	}
}

// asked adds an attempt that nobody has begun, 40 minutes ago. It is over 10 minutes ago if it has a result.
func asked(result v1alpha1.AttemptResult) change {
	return func(r *v1alpha1.MachineRemediation) {
		attempt := v1alpha1.RemediationAttempt{Step: "replace", StartTime: ago(40 * minute), Result: result, ObjectRef: &v1alpha1.RemediationObjectReference{Kind: "MachineSet", UID: "marked"}}
		if result != "" {
			attempt.EndTime = ago(10 * minute)
		}
		r.Status.Attempts = append(r.Status.Attempts, attempt)
	}
}

// waited adds an attempt without an act.
func waited(r *v1alpha1.MachineRemediation) {
	r.Status.Attempts = append(r.Status.Attempts, v1alpha1.RemediationAttempt{Step: "wait", StartTime: ago(50 * minute), EndTime: ago(45 * minute)})
}

func ended(reason string) change {
	return func(r *v1alpha1.MachineRemediation) {
		r.Status.CompletionTime = ago(minute)
		meta.SetStatusCondition(&r.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionSucceeded, Reason: reason})
	}
}

// held is so for two minutes.
func held(reason string) change {
	return func(r *v1alpha1.MachineRemediation) {
		meta.SetStatusCondition(&r.Status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: reason, LastTransitionTime: *ago(2 * minute),
		})
	}
}

// denied ended the attempt that waited for approval, three minutes ago. Nothing acted.
func denied(r *v1alpha1.MachineRemediation) {
	r.Status.Attempts = append(r.Status.Attempts, v1alpha1.RemediationAttempt{
		Step: "replace", StartTime: ago(5 * minute), EndTime: ago(3 * minute), Result: v1alpha1.ResultDenied,
	})
}

func ago(d time.Duration) *metav1.Time { return new(metav1.NewTime(now.Add(-d))) }

// overdue says that the machine has been on its way out for so long.
func overdue(ago time.Duration) func(*v1alpha1.MachineRemediation) {
	return func(r *v1alpha1.MachineRemediation) {
		r.Status.StoppedTime, r.Status.StoppedBy = new(metav1.NewTime(now.Add(-ago))), "Deletion"
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonDeletionOverdue}}
	}
}

func TestRepairOf(t *testing.T) {
	at := func(d time.Duration) time.Time { return now.Add(-d) }
	reboot, rebooted := withAct("reboot", "Machine", 40*minute, 0), withAct("reboot", "Machine", 40*minute, 10*minute)
	evidence := withAct("evidence", "Diagnosis", 40*minute, 10*minute)
	// of is a repair that began 40 minutes ago.
	of := func(completed time.Time, came outcome) pacing.Repair {
		return pacing.Repair{
			UID: "r", Domains: []string{"Owner/o", "FailureDomain/z1"}, Started: at(40 * minute), Served: at(40 * minute), Completed: completed,
			Proven: came == proven, Failed: came == failed,
		}
	}
	fresh := of(time.Time{}, neither)
	fresh.Started, fresh.Served = at(time.Hour), at(time.Hour)
	again := of(time.Time{}, neither)
	again.Served = at(5 * minute)
	tests := map[string]struct {
		record *v1alpha1.MachineRemediation
		want   pacing.Repair
	}{
		"no slot yet":                 {record(), pacing.Repair{}},
		"waits without a slot":        {record(waited), pacing.Repair{}},
		"granted, nothing seen of it": {record(granted), fresh},
		"granted, and waits":          {record(granted, waited), fresh},
		"given back without an act":   {record(granted, released), pacing.Repair{}},
		"at work":                     {record(granted, reboot), of(time.Time{}, neither)},
		"at work without a slot":      {record(reboot), of(time.Time{}, neither)},
		"its deletion hangs":          {record(granted, reboot, overdue(100*minute)), of(at(40*minute), failed)},
		"between two attempts":        {record(granted, rebooted), of(time.Time{}, neither)},
		"at work once more":           {record(granted, rebooted, withAct("replace", "MachineSet", 5*minute, 0)), again},
		"waits without the slot":      {record(granted, rebooted, released), of(at(10*minute), neither)},
		"Recovered":                   {record(granted, rebooted, ended(v1alpha1.ReasonRecovered)), of(at(minute), proven)},
		"Replaced":                    {record(granted, rebooted, ended(v1alpha1.ReasonReplaced)), of(at(minute), proven)},
		"Unproven":                    {record(granted, rebooted, ended(v1alpha1.ReasonUnproven)), of(at(minute), failed)},
		"ReplacementFailed":           {record(granted, rebooted, ended(v1alpha1.ReasonReplacementFailed)), of(at(minute), failed)},
		"MachineDeleted":              {record(granted, rebooted, ended(v1alpha1.ReasonMachineDeleted)), of(at(minute), neither)},
		"Cancelled":                   {record(granted, rebooted, ended(v1alpha1.ReasonCancelled)), of(at(minute), neither)},
		"HandedBack":                  {record(granted, rebooted, ended(v1alpha1.ReasonHandedBack)), of(at(minute), neither)},
		"RecoveredUnaided":            {record(granted, ended(v1alpha1.ReasonRecoveredUnaided)), pacing.Repair{}},
		"Replaced by a built-in plan": {record(builtIn, granted, rebooted, ended(v1alpha1.ReasonReplaced)), of(at(minute), neither)},
		// A pause two minutes ago began the condition anew; the failure is as old as the last attempt.
		"Held after a repair was tried":   {record(granted, rebooted, released, held(v1alpha1.ReasonNoStepLeft)), of(at(10*minute), failed)},
		"Held by Deny after a repair":     {record(granted, rebooted, denied, released, held(v1alpha1.ReasonDenied)), of(at(3*minute), failed)},
		"waits for an approval after one": {record(granted, rebooted, released, held(v1alpha1.ReasonApprovalRequired)), of(at(10*minute), failed)},
		"Held after evidence":             {record(granted, evidence, released, held(v1alpha1.ReasonHoldStep)), of(at(10*minute), neither)},
		"Held at once":                    {record(granted, released, held(v1alpha1.ReasonHoldStep)), pacing.Repair{}},
		"Held since a person cancelled":   {record(granted, rebooted, released, held(v1alpha1.ReasonCancelled)), of(at(10*minute), neither)},
		"Held, then granted a slot again": {record(granted, rebooted, released, granted, held(v1alpha1.ReasonNoStepLeft)), of(time.Time{}, neither)},
		"asked, and not begun":            {record(granted, asked("")), of(time.Time{}, neither)},
		"not begun, without the slot":     {record(granted, asked(v1alpha1.ResultNotBegun), released), pacing.Repair{}},
		"not begun, and recovered":        {record(granted, asked(v1alpha1.ResultNotBegun), ended(v1alpha1.ReasonRecoveredUnaided)), pacing.Repair{}},
		"asked once more after a repair":  {record(granted, rebooted, asked("")), of(time.Time{}, neither)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := pacing.RepairOf(tt.record, both)
			if want := tt.want.UID != ""; ok != want {
				t.Errorf("it counts: %v, want %v", ok, want)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDomainsOfARecord(t *testing.T) {
	without := func(annotations ...string) change {
		return func(r *v1alpha1.MachineRemediation) {
			for _, annotation := range annotations {
				delete(r.Annotations, annotation)
			}
		}
	}
	empty := func(r *v1alpha1.MachineRemediation) {
		r.Annotations = map[string]string{pacing.OwnerUIDAnnotation: "", pacing.FailureDomainAnnotation: ""}
	}
	owner := []v1alpha1.PacingDomain{v1alpha1.DomainOwner}
	tests := map[string]struct {
		record *v1alpha1.MachineRemediation
		kinds  []v1alpha1.PacingDomain
		want   []string
	}{
		"both":                    {record(granted), both, []string{"Owner/o", "FailureDomain/z1"}},
		"owners only":             {record(granted), owner, []string{"Owner/o"}},
		"failure domains only":    {record(granted), both[1:], []string{"FailureDomain/z1"}},
		"neither":                 {record(granted, empty), both, []string{"Owner/", "FailureDomain/"}},
		"nobody knows":            {record(granted, without(pacing.OwnerUIDAnnotation, pacing.FailureDomainAnnotation)), both, nil},
		"as it was marked":        {record(granted, without(pacing.OwnerUIDAnnotation), withAct("replace", "MachineSet", minute, 0)), owner, []string{"Owner/marked"}},
		"a Machine is no owner":   {record(granted, without(pacing.OwnerUIDAnnotation), withAct("replace", "Machine", minute, 0)), owner, nil},
		"a request is no owner":   {record(granted, without(pacing.OwnerUIDAnnotation), withAct("evidence", "Diagnosis", minute, 0)), owner, nil},
		"the annotation, if both": {record(granted, withAct("replace", "MachineSet", minute, 0)), owner, []string{"Owner/o"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := pacing.RepairOf(tt.record, tt.kinds)
			if diff := cmp.Diff(tt.want, got.Domains); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDomainsOfAMachine(t *testing.T) {
	set := build.MachineSet("default", "md-0", build.UID("o"))
	in := func(planned, actual string) build.MachineFunc {
		return func(m *clusterv1.Machine) { m.Spec.FailureDomain, m.Status.FailureDomain = planned, actual }
	}
	tests := map[string]struct {
		machine     *clusterv1.Machine
		want        []pacing.Domain
		annotations map[string]string
	}{
		"a worker": {
			build.Machine("default", "m", build.OwnedBy(set), in("z1", "")),
			[]pacing.Domain{{Key: "Owner/o", Name: "MachineSet md-0"}, {Key: "FailureDomain/z1", Name: "failure domain z1"}},
			map[string]string{pacing.OwnerUIDAnnotation: "o", pacing.FailureDomainAnnotation: "z1"},
		},
		"one that came up elsewhere": {
			build.Machine("default", "m", build.OwnedBy(set), in("z1", "z2")),
			[]pacing.Domain{{Key: "Owner/o", Name: "MachineSet md-0"}, {Key: "FailureDomain/z2", Name: "failure domain z2"}},
			map[string]string{pacing.OwnerUIDAnnotation: "o", pacing.FailureDomainAnnotation: "z2"},
		},
		"one on its own": {
			build.Machine("default", "m"),
			[]pacing.Domain{{Key: "Owner/", Name: "the set of machines without owner"}, {Key: "FailureDomain/", Name: "the set of machines without failure domain"}},
			map[string]string{pacing.OwnerUIDAnnotation: "", pacing.FailureDomainAnnotation: ""},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, pacing.DomainsOf(tt.machine, both)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.annotations, pacing.Annotations(tt.machine)); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
			if got := pacing.DomainsOf(tt.machine, nil); got != nil {
				t.Errorf("without pacing it is in %v", got)
			}
			// A record of the machine is in the same domains.
			r := record(granted)
			r.Annotations = pacing.Annotations(tt.machine)
			repair, _ := pacing.RepairOf(r, both)
			if diff := cmp.Diff([]string{tt.want[0].Key, tt.want[1].Key}, repair.Domains); diff != "" {
				t.Errorf("its record is elsewhere (-want +got):\n%s", diff)
			}
		})
	}
}
