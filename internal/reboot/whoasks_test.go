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
	AsksFull, ByHealthCheck bool
	Operation               string
	Steps                   int
}

// TestWhoAsks: a health check never ends or changes what a person has asked for, and each attempt of a record is separate.
func TestWhoAsks(t *testing.T) {
	const plain, off = rebootannotation.Request, rebootannotation.Request + "/PowerOff"
	annotated := func(operation string) map[string]string {
		return map[string]string{plain: operation, rebootannotation.Operation: operation}
	}
	over := map[string]string{plain: "", rebootannotation.Operation: operation}
	builtIn := &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByHealthCheck, OperationID: operation}
	person := &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByAnnotation}
	record := &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByRecord, Name: "r", OperationID: operation}
	for name, tt := range map[string]struct {
		by, since    *v1alpha1.RebootRequester
		byAnnotation bool
		annotations  map[string]string
		want         answers
	}{
		"a built-in plan":                           {builtIn, nil, true, annotated(operation), answers{AsksFull: true, ByHealthCheck: true, Operation: operation}},
		"a built-in plan, no more":                  {builtIn, nil, true, map[string]string{rebootannotation.Operation: operation}, answers{}},
		"a built-in plan, for its next":             {builtIn, nil, true, annotated("u-1/2"), answers{ByHealthCheck: true, Operation: "u-1/2"}},
		"a person, over a built-in plan":            {builtIn, nil, true, over, answers{AsksFull: true}},
		"a person":                                  {person, nil, true, map[string]string{plain: ""}, answers{AsksFull: true}},
		"a person, for a step":                      {person, nil, true, map[string]string{off: ""}, answers{Steps: 1}},
		"a built-in plan, over a person":            {person, nil, true, annotated(operation), answers{AsksFull: true, Operation: operation}},
		"a built-in plan, in a cycle of a person's": {person, builtIn, true, annotated(operation), answers{AsksFull: true, ByHealthCheck: true, Operation: operation}},
		"a person, in a cycle of a built-in plan's": {builtIn, person, true, map[string]string{plain: ""}, answers{AsksFull: true}},
		"a record":                             {record, nil, false, nil, answers{ByHealthCheck: true}},
		"a record, and a person beside it":     {record, nil, false, map[string]string{plain: "", off: ""}, answers{ByHealthCheck: true}},
		"a person, by hand":                    {&v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson}, nil, false, nil, answers{}},
		"by hand, without saying who":          {nil, nil, false, nil, answers{}},
		"by hand, and by annotation beside it": {nil, nil, false, map[string]string{plain: "", off: ""}, answers{}},
	} {
		request := &v1alpha1.RebootRemediation{}
		request.Spec.RequestedBy, request.Status.RequestedBy = tt.by, tt.since
		if tt.byAnnotation {
			request.Annotations = map[string]string{ByAnnotation: ""}
		}
		object := build.Machine("ns", "m")
		object.Annotations = tt.annotations
		m := &machine{object: object, healthy: true}
		facts := m.facts(request)
		got := answers{AsksFull: facts.AsksFull, ByHealthCheck: facts.ByHealthCheck, Operation: facts.Operation, Steps: len(facts.Steps)}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if facts.Healthy != tt.want.ByHealthCheck {
			t.Errorf("%s: that the machine is healthy ends the cycle: %t", name, facts.Healthy)
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

// TestWhoAskedFirst: a cycle that is made for an annotation stores who asked.
func TestWhoAskedFirst(t *testing.T) {
	const plain = rebootannotation.Request
	for name, tt := range map[string]struct {
		annotations map[string]string
		want        v1alpha1.RebootRequester
	}{
		"a built-in plan":      {map[string]string{plain: operation, rebootannotation.Operation: operation}, v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByHealthCheck, OperationID: operation}},
		"a person":             {map[string]string{plain: "", rebootannotation.Operation: operation}, v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByAnnotation}},
		"a person, for a step": {map[string]string{plain + "/PowerOff": ""}, v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByAnnotation}},
	} {
		object := build.Machine("ns", "m")
		object.Annotations = tt.annotations
		if diff := cmp.Diff(&tt.want, requesterOn(object)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
