package reboot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// answers is what a cycle reads from the annotations of its Machine.
type answers struct {
	AsksFull, Asked, ByHealthCheck bool
	Steps                          int
}

// TestWhoAsks: a health check or a record never ends or changes what a person has asked for, and a record's sign asks for nothing.
func TestWhoAsks(t *testing.T) {
	const plain, off = rebootannotation.Request, rebootannotation.Request + "/PowerOff"
	person := &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByAnnotation}
	health := &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByHealthCheck}
	record := &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByRecord, Name: "r", OperationID: sign}
	for name, tt := range map[string]struct {
		by           *v1alpha1.RebootRequester
		byAnnotation bool
		annotations  map[string]string
		want         answers
	}{
		"a person":                         {person, true, map[string]string{plain: ""}, answers{AsksFull: true}},
		"a person, with a value":           {person, true, map[string]string{plain: "u-1/1"}, answers{AsksFull: true}},
		"a person, for a step":             {person, true, map[string]string{off: sign}, answers{Steps: 1}},
		"a person, no more":                {person, true, nil, answers{}},
		"a person, by hand":                {&v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson}, false, nil, answers{}},
		"a record":                         {record, false, nil, answers{ByHealthCheck: true}},
		"a record, and a person beside it": {record, false, map[string]string{plain: "", off: ""}, answers{Asked: true, ByHealthCheck: true}},
		"a record, and steps beside it":    {record, false, map[string]string{off: ""}, answers{ByHealthCheck: true}},
		"a health check":                   {health, false, nil, answers{ByHealthCheck: true}},
		"nobody knows":                     {nil, false, nil, answers{}},
		"nobody knows, and a person":       {nil, false, map[string]string{plain: "", off: ""}, answers{Asked: true}},
	} {
		request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Name: "m"}}
		request.Spec.RequestedBy = tt.by
		if tt.byAnnotation {
			request.Annotations = map[string]string{ByAnnotation: ""}
		}
		object := build.Machine("ns", "m")
		object.Annotations = tt.annotations
		m := &machine{object: object, healthy: true}
		facts := m.facts(request)
		got := answers{AsksFull: facts.AsksFull, Asked: facts.Asked, ByHealthCheck: facts.ByHealthCheck, Steps: len(facts.Steps)}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if facts.Healthy != tt.want.ByHealthCheck {
			t.Errorf("%s: that the machine is healthy ends the cycle: %t", name, facts.Healthy)
		}
		if _, asks := tt.annotations[plain]; asks {
			continue
		}
		metav1.SetMetaDataAnnotation(&object.ObjectMeta, plain, sign)
		if diff := cmp.Diff(facts, m.facts(request)); diff != "" {
			t.Errorf("%s: a sign asks for something (-without +with):\n%s", name, diff)
		}
	}
}

// TestMadeByAHealthCheck: Cluster API's own controller does not say who asks, but it makes the Machine the owner of its
// request.
func TestMadeByAHealthCheck(t *testing.T) {
	object := build.Machine("ns", "m")
	object.UID = "u"
	for owner, want := range map[types.UID]bool{"u": true, "of-another": false} {
		request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{UID: owner}}}}
		if got := (&machine{object: object, healthy: true}).facts(request); got.ByHealthCheck != want || got.Healthy != want {
			t.Errorf("owned by %s: %+v", owner, got)
		}
	}
}

// TestRecordTellsNothingOnTheMachine: only requests by Cluster API's contract write progress to the Machine. A record
// shows its progress itself.
func TestRecordTellsNothingOnTheMachine(t *testing.T) {
	for kind, want := range map[v1alpha1.RequesterKind]bool{v1alpha1.RequestedByRecord: false, v1alpha1.RequestedByPerson: true, "": true} {
		request := &v1alpha1.RebootRemediation{Status: v1alpha1.RebootRemediationStatus{MachineUID: "m"}}
		if kind != "" {
			request.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: kind}
		}
		object := build.Machine("ns", "m")
		object.UID = "m"
		if got := progressMachine(request, view{machine: &machine{object: object}}) != nil; got != want {
			t.Errorf("requested by %q: %t", kind, got)
		}
	}
}
