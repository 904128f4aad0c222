package ask_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// TestExternalAfterItMadeRoom: the record of OpenShift's health check made room for what a person asked for, and nothing was done for it. Its
// annotation still stands, so it is taken in once more, as a request of Cluster API's health check is.
func TestExternalAfterItMadeRoom(t *testing.T) {
	by := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByHealthCheck, Name: ask.External}
	person := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: rebootannotation.Request}
	m := machine(ask.External, "", rebootannotation.Outcome, "MachineRemediation m-1-1: has the host power-cycled")
	m.External = true
	got := text(ask.Decide(ask.Facts{Machine: m, Records: []*v1alpha1.MachineRemediation{
		record(1, by, ended("False", v1alpha1.ReasonSuperseded)), record(2, person, begun, ended("False", "NotDone")),
	}}, now))
	waits := text(ask.Decide(ask.Facts{Machine: m, Records: []*v1alpha1.MachineRemediation{
		record(1, by, ended("False", v1alpha1.ReasonSuperseded)), record(2, person, begun),
	}}, now))
	if diff := cmp.Diff("Note MachineRemediation m-1-1: made room: It is over again in 1m0s", waits); diff != "" {
		t.Errorf("while the other one is at work (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("Make for HealthCheck host.metal3.io/external-remediation: Reboot x2 1h0m0s", got); diff != "" {
		t.Errorf("decision (-want +got):\n%s", diff)
	}
}

// TestRefusedAnnotationStopsNothingElse: reboot.metal3.io of the owner's template is refused. What a person asks for by PowerOff on this one Machine
// is taken in all the same.
func TestRefusedAnnotationStopsNothingElse(t *testing.T) {
	m := machine(rebootannotation.Request, "", ask.PowerOffAnnotation, "please")
	m.FromTemplate = []string{rebootannotation.Request}
	got := text(ask.Decide(ask.Facts{Machine: m}, now))
	if diff := cmp.Diff("Make for Annotation reboot.metal3.io/PowerOff: Reboot x1 1h0m0s PowerOff", got); diff != "" {
		t.Errorf("decision (-want +got):\n%s", diff)
	}
}

// TestOwnerUnread: as long as nobody can say whether the template of the owner has an annotation, that one waits, and nothing else does.
func TestOwnerUnread(t *testing.T) {
	m := machine(rebootannotation.Request, "")
	m.FromTemplate = []string{rebootannotation.Request}
	m.OwnerUnread = "the conversion webhook is down"
	want := "Refuse Nothing is done for the annotation reboot.metal3.io: whether the template of its owner has it cannot be read: the conversion webhook is down again in 1m0s"
	if diff := cmp.Diff(want, text(ask.Decide(ask.Facts{Machine: m}, now))); diff != "" {
		t.Errorf("decision (-want +got):\n%s", diff)
	}
	byHand := request("reboot-m", func(r *v1alpha1.RebootRemediation) {
		r.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson, Name: "ann"}
	})
	if got := ask.Decide(ask.Facts{Machine: m, Requests: []*v1alpha1.RebootRemediation{byHand}}, now); got.Act != ask.Make {
		t.Errorf("what a person asks for otherwise: %s", text(got))
	}
}

// TestRequestUntil: a person asks by a RebootRemediation that stops after a step, and keeps the host off. So does its record: that person goes to the
// host, and it must not come on.
func TestRequestUntil(t *testing.T) {
	for _, until := range []v1alpha1.Step{v1alpha1.StepPowerOff, v1alpha1.StepDelete} {
		asked := request("reboot-m", func(r *v1alpha1.RebootRemediation) {
			r.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson, Name: "ann"}
			r.Spec.RetryLimit, r.Spec.Until = new(int32(0)), until
		})
		got := text(ask.Decide(ask.Facts{Machine: machine(), Requests: []*v1alpha1.RebootRemediation{asked}}, now))
		if diff := cmp.Diff("Make for Request reboot-m: Reboot x1 1h25m0s "+string(until), got); diff != "" {
			t.Errorf("decision (-want +got):\n%s", diff)
		}
	}
}
