package ask_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

const uid = "5f2c9d1e-0000-4000-8000-00000000000"

var now = build.Epoch

// machine returns a Machine of Cluster API with annotations, given as pairs.
func machine(annotations ...string) ask.Machine {
	m := ask.Machine{
		Cluster: "c", Node: "n", Ref: v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: "m", UID: "uid-m"}, Replaceable: true,
		Annotations: map[string]string{},
	}
	for i := 0; i+1 < len(annotations); i += 2 {
		m.Annotations[annotations[i]] = annotations[i+1]
	}
	return m
}

// record returns the record with that ordinal that somebody asked for.
func record(ordinal int, by v1alpha1.RemediationRequester, change ...func(*v1alpha1.MachineRemediation)) *v1alpha1.MachineRemediation {
	r := &v1alpha1.MachineRemediation{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("m-1-%d", ordinal), UID: types.UID(fmt.Sprint(uid, ordinal))}}
	r.Spec.RequestedBy = &by
	r.Spec.Steps = []v1alpha1.RemediationStep{{Name: "reboot", Action: v1alpha1.ActionReboot}}
	r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionProgressing, Reason: v1alpha1.ReasonActing, Message: "It is at work"}}
	for _, c := range change {
		c(r)
	}
	return r
}

func begun(r *v1alpha1.MachineRemediation) {
	r.Status.Attempts = []v1alpha1.RemediationAttempt{{Number: 1, Step: "reboot", BeganAt: &metav1.Time{Time: now}, ObjectRef: &v1alpha1.RemediationObjectReference{}}}
}

func holds(r *v1alpha1.MachineRemediation) { r.Spec.Steps[0].Until = v1alpha1.StepPowerOff }

func ended(status metav1.ConditionStatus, reason string) func(*v1alpha1.MachineRemediation) {
	return func(r *v1alpha1.MachineRemediation) {
		r.Status.CompletionTime = &metav1.Time{Time: now}
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: status, Reason: reason, Message: "It is over"}}
	}
}

// request returns a RebootRemediation by which somebody asks.
func request(name string, change ...func(*v1alpha1.RebootRemediation)) *v1alpha1.RebootRemediation {
	r := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name)}}
	for _, c := range change {
		c(r)
	}
	return r
}

func ofCheck(r *v1alpha1.RebootRemediation) {
	r.OwnerReferences = []metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: "m", UID: "uid-m"}}
}

func told(status metav1.ConditionStatus, reason, message string, record int) func(*v1alpha1.RebootRemediation) {
	return func(r *v1alpha1.RebootRemediation) {
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: status, Reason: reason, Message: message}}
		if record > 0 {
			r.Status.RecordRef = &v1alpha1.RemediationReference{Name: fmt.Sprintf("m-1-%d", record), UID: types.UID(fmt.Sprint(uid, record))}
		}
	}
}

// text says in one line what a decision is.
func text(d ask.Decision) string {
	switch d.Act {
	case ask.Make:
		var steps []string
		for _, s := range d.Spec.Steps {
			steps = append(steps, strings.TrimSpace(fmt.Sprintf("%s x%d %s %s", s.Action, s.MaxAttempts(), s.Timeout(), s.Until)))
		}
		return fmt.Sprintf("Make for %s %s%s: %s", d.Spec.RequestedBy.Kind, d.Spec.RequestedBy.Name, map[bool]string{true: " without quorum"}[d.QuorumLoss], strings.Join(steps, ", "))
	case ask.Tell:
		of := ""
		if d.Record != nil {
			of = " by " + d.Record.Name
		}
		return fmt.Sprintf("Tell %s%s: %s %s: %s", d.Request.Name, of, d.Condition.Status, d.Condition.Reason, d.Condition.Message)
	case ask.Nothing, ask.Refuse, ask.Note, ask.Settle:
	case ask.Answer, ask.Sweep:
		return string(d.Act) + " " + d.Key + " " + d.Operation
	}
	again := ""
	if !d.RecheckAt.IsZero() {
		again = " again in " + d.RecheckAt.Sub(now).String()
	}
	unsolved := map[bool]string{true: ", unsolved"}[d.Unsolved]
	return strings.TrimSpace(strings.TrimSpace(string(d.Act)+" "+d.Message) + unsolved + again)
}

func TestDecide(t *testing.T) {
	const reboot, off = rebootannotation.Request, ask.PowerOffAnnotation
	asked := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: reboot}
	stepped := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: off}
	check := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByHealthCheck, Name: "m", UID: "uid-m"}
	person := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByPerson, Name: "ann"}
	records := func(all ...*v1alpha1.MachineRemediation) []*v1alpha1.MachineRemediation { return all }
	requests := func(all ...*v1alpha1.RebootRemediation) []*v1alpha1.RebootRemediation { return all }
	templated := machine(reboot, "")
	templated.FromTemplate = []string{reboot}
	free := machine()
	free.Replaceable = false
	for name, tt := range map[string]struct {
		facts ask.Facts
		want  string
	}{
		"nothing is asked for": {ask.Facts{Machine: machine()}, ""},

		"an annotation":                                    {ask.Facts{Machine: machine(reboot, "")}, "Make for Annotation reboot.metal3.io: Reboot x1 1h0m0s"},
		"an annotation, with a record":                     {ask.Facts{Machine: machine(reboot, "now"), Records: records(record(1, asked))}, "Answer reboot.metal3.io " + uid + "1/1"},
		"an annotation, answered":                          {ask.Facts{Machine: machine(reboot, uid+"1/1"), Records: records(record(1, asked))}, ""},
		"an annotation, once more while it is carried out": {ask.Facts{Machine: machine(reboot, "again"), Records: records(record(1, asked, begun))}, ""},
		"an annotation, once more after that":              {ask.Facts{Machine: machine(reboot, "again"), Records: records(record(1, asked, begun, ended("True", "Done")))}, "Make for Annotation reboot.metal3.io: Reboot x1 1h0m0s"},
		"an annotation beside what a person asks for":      {ask.Facts{Machine: machine(reboot, ""), Records: records(record(1, person))}, "Make for Annotation reboot.metal3.io: Reboot x1 1h0m0s"},
		"an annotation while a host is held off":           {ask.Facts{Machine: machine(reboot, ""), Records: records(record(1, stepped, holds, begun))}, ""},
		"an annotation of the template":                    {ask.Facts{Machine: templated}, "Refuse The template of its owner has the annotation reboot.metal3.io, so it would be done to each of its machines: nothing is done"},
		"an annotation without the kinds":                  {ask.Facts{Machine: machine(reboot, ""), NotInstalled: true}, "Refuse The kind MachineRemediation is not installed, so nothing is done: sickbay crds | kubectl apply -f -"},

		"a sign without a record":       {ask.Facts{Machine: machine(reboot, uid+"1/1")}, "Sweep reboot.metal3.io " + uid + "1/1"},
		"a sign of a record that ended": {ask.Facts{Machine: machine(reboot, uid+"1/1"), Records: records(record(1, asked, ended("True", "Done")))}, "Sweep reboot.metal3.io " + uid + "1/1"},

		"a single step":                                  {ask.Facts{Machine: machine(off, "")}, "Make for Annotation reboot.metal3.io/PowerOff: Reboot x1 1h0m0s PowerOff"},
		"a single step, with a record":                   {ask.Facts{Machine: machine(off, ""), Records: records(record(1, stepped, holds))}, "Answer reboot.metal3.io/PowerOff " + uid + "1/1"},
		"a single step, answered":                        {ask.Facts{Machine: machine(off, uid+"1/1"), Records: records(record(1, stepped, holds, begun))}, ""},
		"a single step of a record that was cancelled":   {ask.Facts{Machine: machine(off, uid+"1/1"), Records: records(record(1, stepped, holds, ended("False", "Cancelled")))}, "Sweep reboot.metal3.io/PowerOff " + uid + "1/1"},
		"a single step once more while the host is held": {ask.Facts{Machine: machine(off, "again"), Records: records(record(1, stepped, holds, begun))}, ""},
		"a single step, held by a person":                {ask.Facts{Machine: machine(off, ""), Records: records(record(1, person, holds))}, ""},
		"a single step that is not the first":            {ask.Facts{Machine: machine(reboot+"/PowerOn", "")}, ""},

		"a request of a health check":        {ask.Facts{Machine: machine(), Requests: requests(request("m", ofCheck))}, "Make for HealthCheck m: Reboot x2 1h25m0s, Replace x1 1h0m0s"},
		"one for a machine without an owner": {ask.Facts{Machine: free, Requests: requests(request("m", ofCheck))}, "Make for HealthCheck m: Reboot x2 1h25m0s"},
		"a request by hand": {ask.Facts{Machine: machine(), Requests: requests(request("r", func(r *v1alpha1.RebootRemediation) {
			r.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson}
			r.Spec.RetryLimit, r.Spec.NodeTimeoutSeconds = new(int32(0)), new(int32(60))
			r.Annotations = map[string]string{rebootannotation.AllowQuorumLoss: "true"}
		}))}, "Make for Request r without quorum: Reboot x1 28m0s"},
		"a request that says nothing, of nobody": {ask.Facts{Machine: machine(), Requests: requests(request("m"))}, "Make for Request m: Reboot x2 1h25m0s"},
		"a request without the kinds":            {ask.Facts{Machine: machine(), Requests: requests(request("m")), NotInstalled: true}, "Tell m: Unknown KindsNotInstalled: The kind MachineRemediation is not installed, so nothing is done: sickbay crds | kubectl apply -f -"},
		"a request with a record":                {ask.Facts{Machine: machine(), Requests: requests(request("m")), Records: records(record(1, check))}, "Tell m by m-1-1: Unknown Acting: It is at work"},
		"a request that knows it":                {ask.Facts{Machine: machine(), Requests: requests(request("m", told("Unknown", "Acting", "It is at work", 1))), Records: records(record(1, check))}, ""},
		"a request whose record has helped":      {ask.Facts{Machine: machine(), Requests: requests(request("m", told("Unknown", "Acting", "", 1))), Records: records(record(1, check, ended("True", "Recovered")))}, "Tell m by m-1-1: True Recovered: It is over"},
		"a request whose record has not":         {ask.Facts{Machine: machine(), Requests: requests(request("m", told("Unknown", "Acting", "", 1))), Records: records(record(1, check, ended("False", "NotDone")))}, "Tell m by m-1-1: False NotDone: It is over"},
		"a request that was answered":            {ask.Facts{Machine: machine(), Requests: requests(request("m", told("False", "NotDone", "It is over", 1)))}, ""},
		"a request whose record was deleted":     {ask.Facts{Machine: machine(), Requests: requests(request("m", told("Unknown", "Acting", "", 1)))}, "Tell m by m-1-1: False Withdrawn: MachineRemediation m-1-1, which carried this out, was deleted"},
		"a request that made room":               {ask.Facts{Machine: machine(), Requests: requests(request("m", told("Unknown", "Acting", "", 1))), Records: records(record(1, check, ended("False", "Superseded")), record(2, person))}, "Tell m by m-1-1: Unknown Superseded: It is over"},
		"a request that made room, afterwards":   {ask.Facts{Machine: machine(), Requests: requests(request("m", ofCheck, told("Unknown", "Superseded", "", 1))), Records: records(record(1, check, ended("False", "Superseded")), record(2, person, ended("True", "Done")))}, "Make for HealthCheck m: Reboot x2 1h25m0s, Replace x1 1h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, text(ask.Decide(tt.facts, now))); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

// TestExternal: OpenShift's health check asks by an annotation, and removes nothing itself.
func TestExternal(t *testing.T) {
	by := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByHealthCheck, Name: ask.External}
	const note, work, vain = rebootannotation.Outcome, "MachineRemediation m-1-1: has the host power-cycled",
		"MachineRemediation m-1-1: power-cycling the host did not help: It is over. Nothing more is done: repair or delete the machine, or delete the MachineRemediation to have its host cycled again"
	of := func(annotations ...string) ask.Machine {
		m := machine(annotations...)
		m.External = true
		return m
	}
	healthy := of(ask.External, "", note, work)
	healthy.Healthy = true
	provided := of(ask.External, "")
	provided.Provider = "another program does that"
	other := machine(ask.External, "")
	for name, tt := range map[string]struct {
		machine ask.Machine
		records []*v1alpha1.MachineRemediation
		want    string
	}{
		"not enabled":           {other, nil, ""},
		"asked":                 {of(ask.External, ""), nil, "Make for HealthCheck host.metal3.io/external-remediation: Reboot x2 1h0m0s"},
		"made, and not noted":   {of(ask.External, ""), []*v1alpha1.MachineRemediation{record(1, by)}, "Note " + work + " again in 1m0s"},
		"noted":                 {of(ask.External, "", note, work), []*v1alpha1.MachineRemediation{record(1, by)}, "again in 1m0s"},
		"in vain":               {of(ask.External, "", note, work), []*v1alpha1.MachineRemediation{record(1, by, ended("False", "NotDone"))}, "Note " + vain + ", unsolved again in 1m0s"},
		"in vain, and said":     {of(ask.External, "", note, vain), []*v1alpha1.MachineRemediation{record(1, by, ended("False", "NotDone"))}, ", unsolved again in 1m0s"},
		"the record is deleted": {of(ask.External, "", note, vain), nil, "Make for HealthCheck host.metal3.io/external-remediation: Reboot x2 1h0m0s"},
		"healthy":               {healthy, []*v1alpha1.MachineRemediation{record(1, by, ended("True", "Recovered"))}, "Settle"},
		"sick again":            {of(ask.External, "", note, work), []*v1alpha1.MachineRemediation{record(1, by, ended("True", "Recovered"))}, "Make for HealthCheck host.metal3.io/external-remediation: Reboot x2 1h0m0s"},
		"withdrawn":             {of(note, work), []*v1alpha1.MachineRemediation{record(1, by)}, "Note"},
		"asked anew":            {of(ask.External, ""), []*v1alpha1.MachineRemediation{record(1, by, ended("False", "NotDone"))}, "Make for HealthCheck host.metal3.io/external-remediation: Reboot x2 1h0m0s"},
		"another program":       {provided, nil, "Note another program does that, unsolved again in 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			got := text(ask.Decide(ask.Facts{Machine: tt.machine, Records: tt.records}, now))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMachineOf: a request names its Machine, or is owned by it, or has its name.
func TestMachineOf(t *testing.T) {
	named := request("r", func(r *v1alpha1.RebootRemediation) {
		r.Spec.Machine = &v1alpha1.MachineReference{APIGroup: "machine.openshift.io", Name: "o"}
	})
	owned := request("m", func(r *v1alpha1.RebootRemediation) {
		r.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Secret", Name: "s"}, {APIVersion: "machine.openshift.io/v1beta1", Kind: "Machine", Name: "m"}}
	})
	for _, tt := range []struct {
		request *v1alpha1.RebootRemediation
		want    v1alpha1.MachineReference
	}{
		{named, v1alpha1.MachineReference{APIGroup: "machine.openshift.io", Name: "o"}},
		{owned, v1alpha1.MachineReference{APIGroup: "machine.openshift.io", Name: "m"}},
		{request("m"), v1alpha1.MachineReference{APIGroup: "cluster.x-k8s.io", Name: "m"}},
	} {
		if got := ask.MachineOf(tt.request); got != tt.want {
			t.Errorf("%s is about %+v", tt.request.Name, got)
		}
	}
}
