package remediation

import (
	"context"
	"strings"
	"testing"
	"time"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
)

// external is the annotation by which OpenShift's health check asks.
const external = "host.metal3.io/external-remediation"

// inOpenShift is a sick Machine of OpenShift with its Node and its health check, and the Reconciler for such Machines.
type inOpenShift struct {
	*harness
	machine *machinev1.Machine
	node    *corev1.Node
	check   *machinev1.MachineHealthCheck
}

func newOpenShift(t *testing.T) inOpenShift {
	t.Helper()
	f := newHarness(t)
	labels := map[string]string{"role": "worker"}
	o := inOpenShift{
		harness: f,
		machine: &machinev1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: "m", Labels: labels}},
		node:    &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: f.ns}},
		check: &machinev1.MachineHealthCheck{
			ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: "check"},
			Spec: machinev1.MachineHealthCheckSpec{
				Selector:            metav1.LabelSelector{MatchLabels: labels},
				UnhealthyConditions: []machinev1.UnhealthyCondition{{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Timeout: metav1.Duration{Duration: time.Minute}}},
			},
		},
	}
	build.Create(t.Context(), t, f.env.Client, o.machine, o.node, o.check)
	t.Cleanup(func() { _ = f.env.Client.Delete(context.WithoutCancel(t.Context()), o.node) })
	changeStatus(f, o.machine, func(m *machinev1.Machine) {
		m.Status.NodeRef = &corev1.ObjectReference{Kind: "Node", Name: o.node.Name}
	})
	o.isReady(corev1.ConditionFalse)
	// Observer, Selectors and Gatekeeper are for Cluster API.
	cache := live.Client(f.writes.client)
	f.Reconciler = &Reconciler{
		Reader: Reader{Reader: slots.Reader{Cache: cache, Live: f.env.Client, Clock: f.clock}, OpenShift: true},
		Client: cache, Recorder: f.recorder,
	}
	return o
}

// isReady says whether the Node is Ready.
func (o inOpenShift) isReady(status corev1.ConditionStatus) {
	o.t.Helper()
	changeStatus(o.harness, o.node, func(n *corev1.Node) {
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
	})
}

// asked stores a record of the Machine.
func (o inOpenShift) asked(by recordOption) *v1alpha1.MachineRemediation {
	o.t.Helper()
	spec := v1alpha1.MachineRemediationSpec{MachineRef: v1alpha1.RemediatedMachineReference{APIGroup: machinev1.GroupName, Name: "m", UID: o.machine.UID}}
	by(&spec)
	record := recordstore.NewIn(o.ns, nil, 1, spec)
	build.Create(o.t.Context(), o.t, o.env.Client, record)
	return record
}

// shows returns the annotation with which the Machine shows a power cycle.
func (o inOpenShift) shows() string {
	o.t.Helper()
	got, _ := stored(o.harness, o.machine)
	return got.Annotations[rebootannotation.Request]
}

func byExternal() recordOption {
	return askedBy(v1alpha1.AskedByHealthCheck, external, step(v1alpha1.ActionReboot, func(s *v1alpha1.RemediationStep) { s.Attempts = 2 }))
}

// TestOpenShift: what is asked for about a Machine of OpenShift is carried out, without a Cluster and without health checks of Sickbay's.
func TestOpenShift(t *testing.T) {
	t.Parallel()
	t.Run("a person asks", func(t *testing.T) {
		t.Parallel()
		o := newOpenShift(t)
		o.isReady(corev1.ConditionTrue)
		annotate(o.harness, o.machine, cycleAnnotation, "")
		record := o.asked(byAnnotation())
		o.reconcile(record)
		o.wantRecord(record, "Pending HeldByOthers")
		annotate(o.harness, o.machine, cycleAnnotation, string(record.UID)+"/1")
		if after := o.reconcile(record); after <= 0 || after > 2*time.Minute {
			t.Errorf("it looks again after %s, although no event says how the machine is", after)
		}
		o.wantRecord(record, "Acting Acting reboot:-")
		made, _ := stored(o.harness, cycleNamed(o.harness, record.Name+"-1"))
		if ref := made.Spec.Machine; ref == nil || ref.APIGroup != machinev1.GroupName || ref.Name != "m" {
			t.Errorf("the cycle is of %+v", ref)
		}
		o.cycleBegins(record)
		o.reconcile(record)
		o.cycleEnds(record, v1alpha1.Succeeded, v1alpha1.ReasonRecovered, "The Node is back")
		o.reconcile(record)
		o.wantRecord(record, "Ended Ended Done reboot:Succeeded")
		o.reconcile(record)
		if o.shows() != "" {
			t.Errorf("the Machine shows %q", o.shows())
		}
		if got, _ := stored(o.harness, record); len(got.Finalizers) > 0 {
			t.Errorf("the record keeps %v", got.Finalizers)
		}
	})
	t.Run("its health check asks", func(t *testing.T) {
		t.Parallel()
		o := newOpenShift(t)
		annotate(o.harness, o.machine, external, "")
		record := o.asked(byExternal())
		o.reconcile(record)
		o.wantRecord(record, "Acting Acting reboot:-")
		if want := string(record.UID) + "/1"; o.shows() != want {
			t.Errorf("the Machine shows %q, want %q", o.shows(), want)
		}
		o.cycleBegins(record)
		o.reconcile(record)
		o.cycleEnds(record, v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut, "The Node is not back")
		o.reconcile(record)
		o.wantRecord(record, "Acting Acting reboot:Failed reboot:-")
		o.cycleBegins(record)
		o.reconcile(record)
		o.isReady(corev1.ConditionTrue)
		o.reconcile(record)
		o.wantRecord(record, "Ended Ended Recovered reboot:Failed reboot:Succeeded")
	})
}

// TestOpenShiftStops: what its health check asks for is stopped by a pause or a hold of that health check or of the Machine, and ends when the
// annotation goes, the machine recovers or is gone. What a person asks for does not depend on its health or on a pause of that check.
func TestOpenShiftStops(t *testing.T) {
	t.Parallel()
	const acts = "Acting Acting reboot:-"
	type row struct {
		happens         func(o inOpenShift)
		checks, persons string
	}
	rows(t, map[string]row{
		"its health check is paused": {func(o inOpenShift) { annotate(o.harness, o.check, clusterv1.PausedAnnotation, "") }, "Pending Paused", acts},
		"its health check is on hold": {func(o inOpenShift) {
			annotate(o.harness, o.check, mhcspec.HoldUntilAnnotation, o.clock.Now().Add(time.Hour).UTC().Format(time.RFC3339))
		}, "Pending OnHold", acts},
		"the Machine is paused": {func(o inOpenShift) { annotate(o.harness, o.machine, clusterv1.PausedAnnotation, "") }, "Pending Paused", "Pending Paused"},
		"the Machine is on hold": {func(o inOpenShift) {
			annotate(o.harness, o.machine, mhcspec.HoldUntilAnnotation, o.clock.Now().Add(time.Hour).UTC().Format(time.RFC3339))
		}, "Pending OnHold", "Pending OnHold"},
		"it recovers":            {func(o inOpenShift) { o.isReady(corev1.ConditionTrue) }, "Ended Ended RecoveredUnaided", acts},
		"the annotation is gone": {func(o inOpenShift) { unannotate(o.harness, o.machine, external) }, "Ended Ended RecoveredUnaided", acts},
		"the Machine is gone":    {func(o inOpenShift) { remove(o.harness, o.machine) }, "Ended Ended MachineDeleted", "Ended Ended MachineDeleted"},
	}, func(t *testing.T, tt row) {
		t.Helper()
		for want, by := range map[string]recordOption{"check " + tt.checks: byExternal(), "person " + tt.persons: byAnnotation()} {
			o := newOpenShift(t)
			annotate(o.harness, o.machine, external, "")
			record := o.asked(by)
			annotate(o.harness, o.machine, cycleAnnotation, string(record.UID)+"/1")
			tt.happens(o)
			o.reconcile(record)
			if _, want, _ := strings.Cut(want, " "); o.summary(record) != want {
				t.Errorf("it is %s, want %s", o.summary(record), want)
			}
		}
	})
}

// TestOpenShiftOnly: the Reconciler for OpenShift leaves the records of Cluster API's Machines to the other one.
func TestOpenShiftOnly(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	record := f.admit(f.sick("a"))
	f.OpenShift = true
	f.reconcile(record)
	f.wantRecord(record, " ")
	f.OpenShift = false
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting replace:-")
}
