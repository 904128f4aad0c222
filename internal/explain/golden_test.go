package explain_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// drain is what a drain says that a budget stops.
const drain = "Drain not completed yet (started at 2025-12-18T12:00:00Z):\n* Pod db/db-1: cannot evict pod as it would violate the pod's disruption budget. " +
	"The disruption budget db needs 1 healthy pods and has 1 currently"

// says has a Machine say something about itself since six hours.
func says(conditionType string, status metav1.ConditionStatus, reason, message string) build.MachineOption {
	return build.MachineFunc(func(m *clusterv1.Machine) {
		meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{
			Type: conditionType, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(explaintest.Noon.Add(-6 * time.Hour)),
		})
	})
}

var nodeless = build.MachineFunc(func(m *clusterv1.Machine) { m.Status.NodeRef = clusterv1.MachineNodeReference{} })

// manyAtOnce has more Nodes show a condition than may.
func manyAtOnce(s *explaintest.Scene) {
	s.Annotated(mhcspec.SignalsAnnotation, "Ready: {maxShare: 50%}")
	s.Healthy("h0")
	for i := range 3 {
		s.Sick(fmt.Sprintf("m%d", i), time.Duration(12-i)*time.Minute)
	}
}

// scenes are situations that a person on call may ask about, each with the object.
var scenes = []struct {
	name   string
	kind   string
	object string
	build  func(s *explaintest.Scene)
}{
	{"a healthy machine", "machine", "m1", func(s *explaintest.Scene) { s.Healthy("m1") }},
	{"healthy, and on hold", "machine", "m1", func(s *explaintest.Scene) {
		s.Healthy("m1", build.Annotation(mhcspec.HoldUntilAnnotation, s.Now.Add(time.Hour).Format(time.RFC3339)), build.Annotation(mhcspec.HoldReasonAnnotation, "its disk is being replaced"))
	}},
	{"about to be sick", "machine", "m1", func(s *explaintest.Scene) {
		s.Node("m1", corev1.ConditionUnknown, 3*time.Minute)
		s.Machine("m1", metav1.ConditionUnknown, verdict.ReasonNodeConditionsNotYet, "Waiting for unhealthyCondition timeout", 3*time.Minute)
	}},
	{"sick, and admitted at once", "machine", "m1", func(s *explaintest.Scene) { s.Sick("m1", time.Second); s.Healthy("m2") }},
	{"the gate is closed", "machine", "m2", func(s *explaintest.Scene) {
		zone := func(m *clusterv1.Machine) { m.Spec.FailureDomain = "eu-1b" }
		for i := range 6 {
			s.Healthy(fmt.Sprintf("h%d", i), build.MachineFunc(func(m *clusterv1.Machine) { m.Spec.FailureDomain = "eu-1a" }))
		}
		for i := range 4 {
			s.Sick(fmt.Sprintf("m%d", i), time.Duration(12-i)*time.Minute, build.MachineFunc(zone))
		}
		s.AtMost("30%")
	}},
	{"so many Nodes show the same that its detector may be wrong", "machine", "m0", manyAtOnce},
	{"the MachineHealthCheck of that", "mhc", "workers", manyAtOnce},
	{"a detector that restarts its clock", "machine", "m1", func(s *explaintest.Scene) {
		s.Annotated(mhcspec.SignalsAnnotation, "Ready: {clock: FirstSeen}")
		s.Node("m1", corev1.ConditionUnknown, time.Second)
		m := s.Machine("m1", metav1.ConditionUnknown, verdict.ReasonNodeConditionsNotYet, "Waiting for unhealthyCondition timeout", time.Minute)
		m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{
			Type: verdict.TrustConditionType, Message: "Remembered: Ready=Unknown seen at " + s.Now.Add(-time.Minute).UTC().Format(time.RFC3339),
		})
	}},
	{"no slot is free", "machine", "m3", func(s *explaintest.Scene) {
		s.Annotated(mhcspec.MaxInFlightAnnotation, "1")
		s.Repairing("m1", 20*time.Minute, explaintest.Metal())
		s.Sick("m2", 9*time.Minute)
		s.Sick("m3", 8*time.Minute)
	}},
	{"in the middle of a plan", "machine", "m1", func(s *explaintest.Scene) {
		s.Annotated(mhcspec.MaxInFlightAnnotation, "1")
		s.Repairing("m1", 41*time.Minute, explaintest.Metal())
	}},
	{"a person must approve", "machine", "m1", func(s *explaintest.Scene) {
		s.Repairing("m1", time.Hour, explaintest.Metal())
	}},
	{"a person must decide", "machine", "m1", func(s *explaintest.Scene) {
		s.Repairing("m1", 3*time.Hour, explaintest.Metal()[:2])
	}},
	{"in probation", "machine", "m1", func(s *explaintest.Scene) {
		m := s.Sick("m1", time.Hour)
		r := s.Record(m, explaintest.Metal()...)
		s.Play(r, s.Now.Add(-time.Hour), s.Now.Add(-50*time.Minute))
		m.Status.Conditions[len(m.Status.Conditions)-1] = metav1.Condition{
			Type: verdict.ConditionType, Status: metav1.ConditionTrue, Reason: verdict.ReasonSucceeded, LastTransitionTime: metav1.NewTime(s.Now.Add(-2 * time.Minute)),
		}
		s.Node("m1", corev1.ConditionTrue, 2*time.Minute)
		s.Play(r, s.Now.Add(-2*time.Minute), s.Now)
	}},
	{"repaired before", "machine", "m1", func(s *explaintest.Scene) {
		m := s.Sick("m1", 3*time.Hour)
		r := s.Record(m, explaintest.Metal()...)
		s.Play(r, s.Now.Add(-3*time.Hour), s.Now.Add(-170*time.Minute))
		m.Status.Conditions[len(m.Status.Conditions)-1].Status = metav1.ConditionTrue
		s.Node("m1", corev1.ConditionTrue, 2*time.Hour)
		s.Play(r, s.Now.Add(-2*time.Hour), s.Now)
	}},
	{"gone, and repaired before", "machine", "m1", func(s *explaintest.Scene) {
		r := s.Record(s.Sick("m1", 3*time.Hour), explaintest.Step("replace", v1alpha1.ActionReplace, 1, time.Hour))
		r.Spec.TemplateRef = nil
		s.Play(r, s.Now.Add(-3*time.Hour), s.Now.Add(-2*time.Hour-30*time.Minute))
		s.Machines = nil
		s.Play(r, s.Now.Add(-2*time.Hour-20*time.Minute), s.Now)
	}},
	{"paused", "machine", "m1", func(s *explaintest.Scene) {
		s.Cluster.Spec.Paused = new(true)
		s.Sick("m1", time.Hour)
	}},
	{"on hold", "machine", "m1", func(s *explaintest.Scene) {
		s.Annotated(mhcspec.HoldUntilAnnotation, s.Now.Add(time.Hour).Format(time.RFC3339)).Annotated(mhcspec.HoldReasonAnnotation, "we change the switch")
		s.Sick("m1", time.Hour)
	}},
	{"only told", "machine", "m1", func(s *explaintest.Scene) { s.Annotated(mhcspec.DryRunAnnotation, "true"); s.Sick("m1", time.Hour) }},
	{"not understood", "mhc", "workers", func(s *explaintest.Scene) {
		s.Annotated(mhcspec.MaxInFlightAnnotation, "many")
		s.Sick("m1", time.Hour)
	}},
	{"being deleted", "machine", "m1", func(s *explaintest.Scene) { s.Sick("m1", time.Hour, build.Deleting(s.Now.Add(-3*time.Minute))) }},
	{"a deletion that hangs, and keeps the only slot", "machine", "m1", func(s *explaintest.Scene) {
		s.Annotated(mhcspec.MaxInFlightAnnotation, "1")
		s.Sick("m1", time.Hour, build.Deleting(s.Now.Add(-40*time.Minute)), says(clusterv1.MachineDeletingCondition, metav1.ConditionTrue, "DrainingNode", drain),
			build.MachineFunc(func(m *clusterv1.Machine) {
				m.Status.Deletion = &clusterv1.MachineDeletionStatus{NodeDrainStartTime: metav1.NewTime(s.Now.Add(-40 * time.Minute))}
			}))
		s.Sick("m2", 55*time.Minute)
	}},
	{"waiting for the slot of a deletion that hangs", "machine", "m2", func(s *explaintest.Scene) {
		s.Annotated(mhcspec.MaxInFlightAnnotation, "1")
		s.Sick("m1", time.Hour, build.Deleting(s.Now.Add(-40*time.Minute)))
		s.Sick("m2", 55*time.Minute)
	}},
	{"the health check whose only slot a deletion takes", "mhc", "workers", func(s *explaintest.Scene) {
		s.Annotated(mhcspec.MaxInFlightAnnotation, "1")
		s.Sick("m1", time.Hour, build.Deleting(s.Now.Add(-40*time.Minute)))
		s.Sick("m2", 55*time.Minute)
	}},
	{"replaced, and its deletion hangs", "machine", "m1", func(s *explaintest.Scene) {
		m := s.Sick("m1", 30*time.Minute)
		r := s.Record(m, append(explaintest.Metal()[2:3:3], explaintest.Metal()[1])...)
		r.Spec.Steps[0].Approval = v1alpha1.ApprovalNotRequired
		s.Play(r, s.Now.Add(-30*time.Minute), s.Now.Add(-29*time.Minute))
		m.DeletionTimestamp, m.Finalizers = new(metav1.NewTime(s.Now.Add(-29*time.Minute))), []string{"dns.example.com/record"}
		s.Play(r, s.Now.Add(-29*time.Minute), s.Now)
	}},
	{"it does not start, for want of a host", "machine", "m1", func(s *explaintest.Scene) {
		s.Machine("m1", metav1.ConditionFalse, verdict.ReasonNodeStartupTimedOut, "Node failed to start within 10m0s", 5*time.Minute, nodeless,
			says(clusterv1.MachineInfrastructureReadyCondition, metav1.ConditionFalse, "NotReady", "Failed to find an available BareMetalHost"))
	}},
	{"it does not join, for its provider ID", "machine", "m1", func(s *explaintest.Scene) {
		s.Machine("m1", metav1.ConditionFalse, verdict.ReasonNodeStartupTimedOut, "Node failed to start within 10m0s", 5*time.Minute, nodeless,
			says(clusterv1.MachineNodeHealthyCondition, metav1.ConditionUnknown, "InspectionFailed", "Waiting for a Node with spec.providerID aws:///eu-1a/i-1 to exist"))
	}},
	{"the node of a machine", "node", "node-m1", func(s *explaintest.Scene) { s.Healthy("m1") }},
	{"a health check", "mhc", "workers", func(s *explaintest.Scene) {
		s.Annotated(mhcspec.MaxInFlightAnnotation, "1").AtMost("2")
		s.Healthy("m1")
		s.Sick("m2", time.Minute)
		s.Sick("m3", 2*time.Minute)
	}},
	{"a closed health check", "mhc", "workers", func(s *explaintest.Scene) { s.AtMost("0"); s.Healthy("m1"); s.Sick("m2", time.Minute) }},
	{"a record", "mr", "m1-5f2c9d1e-1", func(s *explaintest.Scene) {
		s.Repairing("m1", 41*time.Minute, explaintest.Metal())
	}},
	{"the manager cannot read what can be read from here", "machine", "m1", func(s *explaintest.Scene) {
		s.Node("m1", corev1.ConditionTrue, time.Hour)
		s.Machine("m1", metav1.ConditionUnknown, verdict.ReasonNodeUnavailable, "Node cannot be read: connection to the workload cluster is down", 3*time.Minute)
	}},
	{"a host", "host", "rack2-u7", func(s *explaintest.Scene) {
		m := s.Sick("m1", 41*time.Minute)
		r := s.Record(m, explaintest.Metal()...)
		r.Spec.HostRef = &v1alpha1.RemediationReference{Name: "rack2-u7", UID: "rack2-u7"}
		s.Play(r, s.Now.Add(-41*time.Minute), s.Now)
		before := repaired("m0-77e0aa31-1", "m0", "rack2-u7", v1alpha1.ReasonRecovered, time.Minute, tried("reboot", v1alpha1.ResultSucceeded))
		before.Spec.HostRef.UID = "rack2-u7"
		s.Records = append(s.Records, &before)
		cycle := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Name: r.Name + "-3", UID: "c0ffee"}, Status: v1alpha1.RebootRemediationStatus{
			Phase: v1alpha1.PoweringOff, KeySince: new(metav1.NewTime(s.Now.Add(-time.Minute))),
		}}
		cycle.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByRecord, Name: r.Name}
		h := s.Host("rack2-u7", "m1", cycle)
		h.Annotations["reboot.metal3.io/sickbay-c0ffee"] = ""
		h.Annotations["reboot.metal3.io/firmware"] = ""
		h.Status.ErrorType, h.Status.ErrorMessage = "power management error", "BMC does not answer"
	}},
	{"a host that a person wants off", "host", "rack2-u7", func(s *explaintest.Scene) {
		s.Healthy("m1")
		h := s.Host("rack2-u7", "m1")
		h.Spec.Online, h.Status.PoweredOn = false, false
	}},
	{"a repair that a person has cancelled", "machine", "m1", func(s *explaintest.Scene) {
		r := s.Record(s.Sick("m1", time.Hour), explaintest.Metal()[1:]...)
		s.Play(r, s.Now.Add(-time.Hour), s.Now.Add(-50*time.Minute))
		r.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: max(1, r.Status.Attempt), Answer: v1alpha1.AnswerCancel, By: "alice", Reason: "done early"}
		s.Play(r, s.Now.Add(-50*time.Minute), s.Now)
	}},
	{"a host of nobody", "bmh", "rack2-u8", func(s *explaintest.Scene) {
		h := s.Host("rack2-u8", "")
		h.Status.PoweredOn = false
		h.Annotations["baremetalhost.metal3.io/detached"] = ""
		h.Annotations["reboot.metal3.io"] = "{}"
		h.Annotations["reboot.metal3.io/sickbay-gone"] = ""
	}},
	{"a host that is gone", "host", "rack2-u9", func(s *explaintest.Scene) {
		before := repaired("m0-77e0aa31-1", "m0", "rack2-u9", v1alpha1.ReasonRecovered, time.Minute, tried("reboot", v1alpha1.ResultSucceeded))
		s.Records = append(s.Records, &before)
	}},
	{"left to another controller", "machine", "m1", func(s *explaintest.Scene) { s.Foreign = true; s.Sick("m1", time.Hour) }},
	{"a cluster", "cluster", build.ClusterName, func(s *explaintest.Scene) { s.Healthy("m1"); s.Sick("m2", time.Minute) }},
}

// TestPages: the text that people read, scene by scene. Read testdata/pages.golden as they would.
func TestPages(t *testing.T) {
	var b strings.Builder
	for _, one := range scenes {
		s := explaintest.New()
		one.build(s)
		pages := s.Facts().Of(one.kind, one.object)
		if len(pages) != 1 {
			t.Fatalf("%s: there are %d pages of %s/%s", one.name, len(pages), one.kind, one.object)
		}
		show(&b, one.name, pages[0])
	}
	docs.Golden(t, "pages", b.String())
}

func show(b *strings.Builder, name string, page explain.Page) {
	fmt.Fprintf(b, "# %s\n%s: %s\n", name, page.Name, page.Headline)
	for _, row := range page.Rows {
		fmt.Fprintf(b, "%-9s %s\n", row.Label, row.Text)
	}
	fmt.Fprintln(b)
}

// TestGoneMachines: a machine that is gone is explained by its latest record in each namespace; the time decides, not the name.
func TestGoneMachines(t *testing.T) {
	record := func(namespace, name string, ago time.Duration, outcome string, open bool) *explain.Record {
		r := repaired(name, "m1", "", outcome, time.Minute)
		r.Namespace, r.CreationTimestamp = namespace, metav1.NewTime(explaintest.Noon.Add(-ago))
		if open {
			r.Status = v1alpha1.MachineRemediationStatus{Phase: v1alpha1.RemediationActing}
		}
		return &explain.Record{Record: &r, Problem: map[bool]string{true: "nobody knows what comes next"}[open]}
	}
	f := &explain.Facts{Now: explaintest.Noon, Records: []*explain.Record{
		record("blue", "m1-0a-1", time.Hour, v1alpha1.ReasonReplaced, false), record("blue", "m1-ff-1", 2*time.Hour, v1alpha1.ReasonRecovered, false),
		record("green", "m1-00-1", 3*time.Hour, "", true), record("green", "m1-01-1", time.Hour, v1alpha1.ReasonRecovered, false),
	}}
	var got []string
	for _, page := range f.Of("", "m1") {
		got = append(got, page.Namespace+": "+page.Headline)
	}
	want := []string{"blue: GONE. The last repair: Replaced", "green: GONE. The last repair: Acting, for 3h"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
