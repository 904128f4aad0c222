package ask_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// TestDrains: when Sickbay drains, it takes nothing in and removes what it shows. Those who wait for a record learn what became of it, and a
// person whose request comes too late learns that.
func TestDrains(t *testing.T) {
	annotated := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: "reboot.metal3.io"}
	requested := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByRequest, Name: "r", UID: "uid-r"}
	handedBack := ended(metav1.ConditionFalse, v1alpha1.ReasonHandedBack)
	sign := uid + "1/1"
	for name, tt := range map[string]struct {
		facts ask.Facts
		act   ask.Act
	}{
		"a person's annotation":        {ask.Facts{Machine: machine("reboot.metal3.io", "please")}, ask.Nothing},
		"a sign of an open record":     {ask.Facts{Machine: machine("reboot.metal3.io", sign), Records: []*v1alpha1.MachineRemediation{record(1, annotated)}}, ask.Nothing},
		"a sign of one that has ended": {ask.Facts{Machine: machine("reboot.metal3.io", sign), Records: []*v1alpha1.MachineRemediation{record(1, annotated, handedBack)}}, ask.Sweep},
		"a note for OpenShift's check": {ask.Facts{Machine: machine(ask.External, "", rebootannotation.Outcome, "x")}, ask.Note},
		"OpenShift's check":            {ask.Facts{Machine: func() ask.Machine { m := machine(ask.External, ""); m.External = true; return m }()}, ask.Nothing},
		"a person's request":           {ask.Facts{Machine: machine(), Requests: []*v1alpha1.RebootRemediation{request("r")}}, ask.Tell},
		"a person's, which was told":   {ask.Facts{Machine: machine(), Requests: []*v1alpha1.RebootRemediation{request("r", told(metav1.ConditionFalse, v1alpha1.ReasonWithdrawn, "no", 0))}}, ask.Nothing},
		"a health check's request":     {ask.Facts{Machine: machine(), Requests: []*v1alpha1.RebootRemediation{request("r", ofCheck)}}, ask.Nothing},
		"a request whose record is over": {
			ask.Facts{Machine: machine(), Requests: []*v1alpha1.RebootRemediation{request("r")}, Records: []*v1alpha1.MachineRemediation{record(1, requested, handedBack)}}, ask.Tell,
		},
	} {
		tt.facts.Drains = true
		if diff := cmp.Diff(tt.act, ask.Decide(tt.facts, now).Act); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestHealthCheckIsServedAfterADrain: what a health check has asked for stays open while Sickbay drains, for another controller or for a manager that
// drains no more. Cluster API never asks again while its request exists.
func TestHealthCheckIsServedAfterADrain(t *testing.T) {
	by := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByHealthCheck, Name: "r", UID: "uid-r"}
	handedBack := record(1, by, ended(metav1.ConditionFalse, v1alpha1.ReasonHandedBack))
	f := ask.Facts{
		Machine: machine(), Drains: true,
		Requests: []*v1alpha1.RebootRemediation{request("r", ofCheck)}, Records: []*v1alpha1.MachineRemediation{handedBack},
	}
	d := ask.Decide(f, now)
	if d.Act == ask.Tell && d.Condition.Status != metav1.ConditionUnknown {
		t.Errorf("the drain answers the health check %s (%s)", d.Condition.Status, d.Condition.Reason)
		f.Requests[0].Status.Conditions, f.Requests[0].Status.RecordRef = []metav1.Condition{d.Condition}, d.Record
	}
	f.Drains = false
	if d = ask.Decide(f, now); d.Act != ask.Make {
		t.Errorf("after the drain: %q, want a record", d.Act)
	}
}
