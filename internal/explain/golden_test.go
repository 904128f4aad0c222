package explain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

func step(name string, action v1alpha1.Action, attempts int32, timeout time.Duration) v1alpha1.RemediationStep {
	s := v1alpha1.RemediationStep{Name: name, Action: action, Attempts: attempts, Approval: v1alpha1.ApprovalNotRequired, DoneWhen: v1alpha1.DoneWhenMachineHealthy}
	if timeout > 0 {
		s.TimeoutSeconds = new(int32(timeout / time.Second))
	}
	return s
}

// metal is a plan as people have it for bare metal.
func metal() []v1alpha1.RemediationStep {
	replace := step("replace", v1alpha1.ActionReplace, 1, time.Hour)
	replace.Approval = v1alpha1.ApprovalRequired
	return []v1alpha1.RemediationStep{
		step("watch", v1alpha1.ActionWait, 1, 5*time.Minute), step("reboot", v1alpha1.ActionReboot, 2, 20*time.Minute), replace, step("hold", v1alpha1.ActionHold, 1, 0),
	}
}

// scenes are what a tired person may ask about, each with the object.
var scenes = []struct {
	name   string
	kind   string
	object string
	build  func(s *scene)
}{
	{"a healthy machine", "machine", "m1", func(s *scene) { s.healthy("m1") }},
	{"about to be sick", "machine", "m1", func(s *scene) {
		s.node("m1", corev1.ConditionUnknown, 3*time.Minute)
		s.machine("m1", metav1.ConditionUnknown, machinehealth.ReasonNodeConditionsNotYet, "Waiting for unhealthyCondition timeout", 3*time.Minute)
	}},
	{"sick, and admitted at once", "machine", "m1", func(s *scene) { s.sick("m1", time.Second); s.healthy("m2") }},
	{"the gate is closed", "machine", "m2", func(s *scene) {
		zone := func(m *clusterv1.Machine) { m.Spec.FailureDomain = "eu-1b" }
		for i := range 6 {
			s.healthy(fmt.Sprintf("h%d", i), build.MachineFunc(func(m *clusterv1.Machine) { m.Spec.FailureDomain = "eu-1a" }))
		}
		for i := range 4 {
			s.sick(fmt.Sprintf("m%d", i), time.Duration(12-i)*time.Minute, build.MachineFunc(zone))
		}
		s.atMost("30%")
	}},
	{"no slot is free", "machine", "m3", func(s *scene) {
		s.annotated(admission.MaxInFlightAnnotation, "1")
		r := s.record(s.sick("m1", 20*time.Minute), metal()...)
		s.play(r, s.now.Add(-20*time.Minute), s.now)
		s.sick("m2", 9*time.Minute)
		s.sick("m3", 8*time.Minute)
	}},
	{"in the middle of a plan", "machine", "m1", func(s *scene) {
		s.annotated(admission.MaxInFlightAnnotation, "1")
		r := s.record(s.sick("m1", 41*time.Minute), metal()...)
		s.play(r, s.now.Add(-41*time.Minute), s.now)
	}},
	{"a person has to approve", "machine", "m1", func(s *scene) {
		r := s.record(s.sick("m1", time.Hour), metal()...)
		s.play(r, s.now.Add(-time.Hour), s.now)
	}},
	{"a person has to decide", "machine", "m1", func(s *scene) {
		r := s.record(s.sick("m1", 3*time.Hour), metal()[:2]...)
		s.play(r, s.now.Add(-3*time.Hour), s.now)
	}},
	{"in probation", "machine", "m1", func(s *scene) {
		m := s.sick("m1", time.Hour)
		r := s.record(m, metal()...)
		s.play(r, s.now.Add(-time.Hour), s.now.Add(-50*time.Minute))
		m.Status.Conditions[len(m.Status.Conditions)-1] = metav1.Condition{
			Type: machinehealth.ConditionType, Status: metav1.ConditionTrue, Reason: machinehealth.ReasonSucceeded, LastTransitionTime: metav1.NewTime(s.now.Add(-2 * time.Minute)),
		}
		s.node("m1", corev1.ConditionTrue, 2*time.Minute)
		s.play(r, s.now.Add(-2*time.Minute), s.now)
	}},
	{"repaired before", "machine", "m1", func(s *scene) {
		m := s.sick("m1", 3*time.Hour)
		r := s.record(m, metal()...)
		s.play(r, s.now.Add(-3*time.Hour), s.now.Add(-170*time.Minute))
		m.Status.Conditions[len(m.Status.Conditions)-1].Status = metav1.ConditionTrue
		s.node("m1", corev1.ConditionTrue, 2*time.Hour)
		s.play(r, s.now.Add(-2*time.Hour), s.now)
	}},
	{"gone, and repaired before", "machine", "m1", func(s *scene) {
		r := s.record(s.sick("m1", 3*time.Hour), step("replace", v1alpha1.ActionReplace, 1, time.Hour))
		r.Spec.TemplateRef = nil
		s.play(r, s.now.Add(-3*time.Hour), s.now.Add(-2*time.Hour-30*time.Minute))
		s.machines = nil
		s.play(r, s.now.Add(-2*time.Hour-20*time.Minute), s.now)
	}},
	{"paused", "machine", "m1", func(s *scene) {
		s.cluster.Spec.Paused = new(true)
		s.sick("m1", time.Hour)
	}},
	{"on hold", "machine", "m1", func(s *scene) {
		s.annotated(targets.HoldUntilAnnotation, s.now.Add(time.Hour).Format(time.RFC3339)).annotated(targets.HoldReasonAnnotation, "we change the switch")
		s.sick("m1", time.Hour)
	}},
	{"only told", "machine", "m1", func(s *scene) { s.annotated(admission.DryRunAnnotation, "true"); s.sick("m1", time.Hour) }},
	{"not understood", "mhc", "workers", func(s *scene) { s.annotated(admission.MaxInFlightAnnotation, "many"); s.sick("m1", time.Hour) }},
	{"being deleted", "machine", "m1", func(s *scene) { s.sick("m1", time.Hour, build.Deleting(s.now.Add(-3*time.Minute))) }},
	{"the node of a machine", "node", "node-m1", func(s *scene) { s.healthy("m1") }},
	{"a health check", "mhc", "workers", func(s *scene) {
		s.annotated(admission.MaxInFlightAnnotation, "1").atMost("2")
		s.healthy("m1")
		s.sick("m2", time.Minute)
		s.sick("m3", 2*time.Minute)
	}},
	{"a closed health check", "mhc", "workers", func(s *scene) { s.atMost("0"); s.healthy("m1"); s.sick("m2", time.Minute) }},
	{"a record", "mr", "m1-5f2c9d1e-1", func(s *scene) {
		r := s.record(s.sick("m1", 41*time.Minute), metal()...)
		s.play(r, s.now.Add(-41*time.Minute), s.now)
	}},
	{"the manager cannot read what can be read from here", "machine", "m1", func(s *scene) {
		s.node("m1", corev1.ConditionTrue, time.Hour)
		s.machine("m1", metav1.ConditionUnknown, machinehealth.ReasonNodeUnavailable, "Node cannot be read: connection to the workload cluster is down", 3*time.Minute)
	}},
	{"a host", "host", "rack2-u7", func(s *scene) {
		m := s.sick("m1", 41*time.Minute)
		r := s.record(m, metal()...)
		r.Spec.HostRef = &v1alpha1.RemediationReference{Name: "rack2-u7", UID: "rack2-u7"}
		s.play(r, s.now.Add(-41*time.Minute), s.now)
		before := repaired("m0-77e0aa31-1", "m0", "rack2-u7", v1alpha1.ReasonRecovered, time.Minute, tried("reboot", v1alpha1.ResultSucceeded))
		before.Spec.HostRef.UID = "rack2-u7"
		s.records = append(s.records, &before)
		cycle := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Name: r.Name + "-3", UID: "c0ffee"}, Status: v1alpha1.RebootRemediationStatus{
			Phase: v1alpha1.PoweringOff, KeySince: new(metav1.NewTime(s.now.Add(-time.Minute))), RequestedBy: &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByRecord, Name: r.Name},
		}}
		h := s.host("rack2-u7", "m1", cycle)
		h.Annotations["reboot.metal3.io/sickbay-c0ffee"] = ""
		h.Annotations["reboot.metal3.io/firmware"] = ""
		h.Status.ErrorType, h.Status.ErrorMessage = "power management error", "BMC does not answer"
	}},
	{"a host of nobody", "bmh", "rack2-u8", func(s *scene) {
		h := s.host("rack2-u8", "")
		h.Status.PoweredOn = false
		h.Annotations["baremetalhost.metal3.io/detached"] = ""
		h.Annotations["reboot.metal3.io"] = "{}"
		h.Annotations["reboot.metal3.io/sickbay-gone"] = ""
	}},
	{"a host that is gone", "host", "rack2-u9", func(s *scene) {
		before := repaired("m0-77e0aa31-1", "m0", "rack2-u9", v1alpha1.ReasonRecovered, time.Minute, tried("reboot", v1alpha1.ResultSucceeded))
		s.records = append(s.records, &before)
	}},
	{"a cluster", "cluster", build.ClusterName, func(s *scene) { s.healthy("m1"); s.sick("m2", time.Minute) }},
}

// TestPages: what people read, scene by scene. Read testdata/pages.golden as they would.
func TestPages(t *testing.T) {
	var b strings.Builder
	for _, one := range scenes {
		s := newScene()
		one.build(s)
		pages := s.facts().Of(one.kind, one.object)
		if len(pages) != 1 {
			t.Fatalf("%s: there are %d pages of %s/%s", one.name, len(pages), one.kind, one.object)
		}
		fmt.Fprintf(&b, "# %s\n%s: %s\n", one.name, pages[0].Name, pages[0].Headline)
		for _, row := range pages[0].Rows {
			fmt.Fprintf(&b, "%-9s %s\n", row.Label, row.Text)
		}
		fmt.Fprintln(&b)
	}
	docs.Golden(t, "pages", b.String())
}

// TestGoneMachines: a machine that is gone is explained by its latest record, by the time and not by the name, and in each namespace.
func TestGoneMachines(t *testing.T) {
	record := func(namespace, name string, ago time.Duration, outcome string, open bool) *Record {
		r := repaired(name, "m1", "", outcome, time.Minute)
		r.Namespace, r.CreationTimestamp = namespace, metav1.NewTime(noon.Add(-ago))
		if open {
			r.Status = v1alpha1.MachineRemediationStatus{Phase: v1alpha1.RemediationActing}
		}
		return &Record{Record: &r, Problem: map[bool]string{true: "nobody knows what comes next"}[open]}
	}
	f := &Facts{Now: noon, Records: []*Record{
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
