package remedy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// Operations of two records.
const (
	recordUID = "6f1c9d1e-0000-4000-8000-000000000001"
	operation = recordUID + "/2"
	earlier   = recordUID + "/1"
	another   = "6f1c9d1e-0000-4000-8000-000000000002/1"
)

// TestSign: it shows the cycle at work, and leaves what somebody else has set.
func TestSign(t *testing.T) {
	const request = rebootannotation.Request
	for name, tt := range map[string]struct{ before, want map[string]string }{
		"without annotations":      {nil, map[string]string{request: operation}},
		"beside others":            {map[string]string{"some": "x"}, map[string]string{"some": "x", request: operation}},
		"after an earlier attempt": {map[string]string{request: earlier}, map[string]string{request: operation}},
		"beside another record":    {map[string]string{request: another}, map[string]string{request: another}},
		"a person asks":            {map[string]string{request: ""}, map[string]string{request: ""}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, build.MachineFunc(func(m *clusterv1.Machine) { m.Annotations = tt.before }))
			machine := f.stored(t)
			if err := remedy.Sign(t.Context(), f.c, machine, operation); err != nil {
				t.Fatal(err)
			}
			after := f.stored(t)
			if diff := cmp.Diff(tt.want, after.Annotations); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(after, machine); diff != "" {
				t.Errorf("the Machine is not as it is stored (-stored +got):\n%s", diff)
			}
		})
	}
}

// TestSignIsBound: the sign depends only on the Machine and on the annotation itself.
func TestSignIsBound(t *testing.T) {
	some := []build.MachineOption{build.Annotation("some", "")}
	tests := map[string]struct {
		before []build.MachineOption
		bound
	}{
		"it gets its first annotation":   {nil, bound{anotherAnnotation, false}},
		"it gets one annotation more":    {some, bound{anotherAnnotation, true}},
		"its status is written":          {nil, bound{conditionBecomes("Disk", "True", "Fine"), true}},
		"a person asks":                  {some, bound{annotated(rebootannotation.Request, ""), false}},
		"another leader shows the cycle": {some, bound{annotated(rebootannotation.Request, operation), false}},
		"another Machine has its name":   {nil, bound{anotherMachine, false}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, tt.before...)
			tt.check(t, f, func(m *clusterv1.Machine) error { return remedy.Sign(t.Context(), f.c, m, operation) })
			if tt.written && f.stored(t).Annotations[rebootannotation.Request] != operation {
				t.Error("it is not shown")
			}
		})
	}
}

// TestRemoveSign: only what shows a cycle of that record goes.
func TestRemoveSign(t *testing.T) {
	for value, goes := range map[string]bool{operation: true, earlier: true, another: false, "": false, recordUID: false} {
		f := newHarness(t, build.Annotation("other", "kept"), build.Annotation(rebootannotation.Request, value))
		machine := f.stored(t)
		if has := remedy.HasSign(machine, recordUID); has != goes {
			t.Errorf("%q is a sign of the record: %t", value, has)
		}
		if err := remedy.RemoveSign(t.Context(), f.c, machine, recordUID); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"other": "kept", rebootannotation.Request: value}
		if goes {
			delete(want, rebootannotation.Request)
		}
		if diff := cmp.Diff(want, f.stored(t).Annotations); diff != "" {
			t.Errorf("%q: annotations (-want +got):\n%s", value, diff)
		}
		if diff := cmp.Diff(f.stored(t), machine); diff != "" {
			t.Errorf("the Machine is not as it is stored (-stored +got):\n%s", diff)
		}
	}
}

// TestRemovalOfSignIsBound: the removal depends only on the Machine and on the annotation itself.
func TestRemovalOfSignIsBound(t *testing.T) {
	for name, tt := range map[string]bound{
		"the Machine is written to":    {anotherAnnotation, true},
		"a person asks instead":        {annotated(rebootannotation.Request, ""), false},
		"the next attempt has begun":   {annotated(rebootannotation.Request, recordUID+"/3"), false},
		"it has gone":                  {annotationGoes(rebootannotation.Request), false},
		"the Machine is gone":          {machineGone, false},
		"another Machine has its name": {anotherMachine, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, build.Annotation(rebootannotation.Request, operation))
			tt.check(t, f, func(m *clusterv1.Machine) error { return remedy.RemoveSign(t.Context(), f.c, m, recordUID) })
			if tt.written && remedy.HasSign(f.stored(t), recordUID) {
				t.Error("it is still shown")
			}
		})
	}
}
