package remedy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

const operation, earlier = "record/2", "record/1"

func TestAnnotateReboot(t *testing.T) {
	asked := map[string]string{rebootannotation.Request: operation, rebootannotation.Operation: operation}
	tests := map[string]struct {
		before map[string]string
		want   map[string]string
	}{
		"without annotations": {nil, asked},
		"after an earlier one": {
			map[string]string{rebootannotation.Operation: earlier}, asked,
		},
		"once more, while it stands":  {asked, asked},
		"once more, after it is done": {map[string]string{rebootannotation.Operation: operation}, map[string]string{rebootannotation.Operation: operation}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, build.MachineFunc(func(m *clusterv1.Machine) { m.Annotations = tt.before }))
			before, machine := f.stored(t), f.stored(t)
			if err := remedy.AnnotateReboot(t.Context(), f.c, machine, operation); err != nil {
				t.Fatal(err)
			}
			after := f.stored(t)
			if diff := cmp.Diff(tt.want, after.Annotations); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(after, machine); diff != "" {
				t.Errorf("the Machine is not as it is stored (-stored +got):\n%s", diff)
			}
			if unchanged := cmp.Equal(tt.before, tt.want); unchanged != (before.ResourceVersion == after.ResourceVersion) {
				t.Errorf("it was written: %t", !unchanged)
			}
		})
	}
}

// TestAnnotateRebootIsBound: the request depends only on the Machine and on requests that exist
// already.
func TestAnnotateRebootIsBound(t *testing.T) {
	tests := map[string]struct {
		before []build.MachineOption
		bound
	}{
		"the Machine is written to":      {nil, bound{anotherAnnotation, false}}, // its first annotation ever
		"it gets one annotation more":    {[]build.MachineOption{build.Annotation("some", "")}, bound{anotherAnnotation, true}},
		"its status is written":          {nil, bound{conditionBecomes("Disk", "True", "Fine"), true}},
		"a person asks":                  {nil, bound{annotated(rebootannotation.Request, ""), false}},
		"a person asks, too":             {[]build.MachineOption{build.Annotation("some", "")}, bound{annotated(rebootannotation.Request, ""), false}},
		"another leader has asked":       {[]build.MachineOption{build.Annotation("some", "")}, bound{annotated(rebootannotation.Operation, operation), false}},
		"what was asked last is another": {[]build.MachineOption{build.Annotation(rebootannotation.Operation, earlier)}, bound{annotated(rebootannotation.Operation, operation), false}},
		"the Machine is gone":            {nil, bound{machineGone, false}},
		"another Machine has its name":   {nil, bound{anotherMachine, false}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, tt.before...)
			tt.check(t, f, func(m *clusterv1.Machine) error { return remedy.AnnotateReboot(t.Context(), f.c, m, operation) })
			if tt.written && f.stored(t).Annotations[rebootannotation.Request] != operation {
				t.Error("it is not asked for")
			}
		})
	}
}

// TestWithdrawReboot: the Machine still shows that the operation was asked for.
func TestWithdrawReboot(t *testing.T) {
	f := newHarness(t, build.Annotation("other", "kept"))
	machine := f.stored(t)
	if err := remedy.AnnotateReboot(t.Context(), f.c, machine, operation); err != nil {
		t.Fatal(err)
	}
	if err := remedy.WithdrawReboot(t.Context(), f.c, machine); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"other": "kept", rebootannotation.Operation: operation}
	if diff := cmp.Diff(want, f.stored(t).Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(f.stored(t), machine); diff != "" {
		t.Errorf("the Machine is not as it is stored (-stored +got):\n%s", diff)
	}
	version := f.version(t)
	if err := remedy.WithdrawReboot(t.Context(), f.c, machine); err != nil || f.version(t) != version {
		t.Errorf("withdrawn a second time: %v", err)
	}
}

// TestWithdrawalOfRebootIsBound: the withdrawal depends only on the Machine and on the
// request.
func TestWithdrawalOfRebootIsBound(t *testing.T) {
	tests := map[string]bound{
		"the Machine is written to":    {anotherAnnotation, true},
		"a person asks instead":        {annotated(rebootannotation.Request, ""), false},
		"it was carried out":           {annotationGoes(rebootannotation.Request), false},
		"the Machine is gone":          {machineGone, false},
		"another Machine has its name": {anotherMachine, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, build.Annotation(rebootannotation.Request, operation), build.Annotation(rebootannotation.Operation, operation))
			tt.check(t, f, func(m *clusterv1.Machine) error { return remedy.WithdrawReboot(t.Context(), f.c, m) })
			if !tt.written {
				return
			}
			if _, stands := f.stored(t).Annotations[rebootannotation.Request]; stands {
				t.Error("it is still asked for")
			}
		})
	}
}
