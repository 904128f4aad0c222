package remedy_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestWhoAsksForAReboot: a health check of any version identifies itself by a second annotation with the same value.
func TestWhoAsksForAReboot(t *testing.T) {
	const asks, operation, at = remedy.RebootAnnotation, remedy.RebootOperationAnnotation, remedy.RebootRequestedAtAnnotation
	for name, tt := range map[string]struct {
		annotations   map[string]string
		byHealthCheck bool
		operation     string
	}{
		"nobody":                             {nil, false, ""},
		"nobody any more":                    {map[string]string{operation: "u/1"}, false, ""},
		"a record":                           {map[string]string{asks: "u/1", operation: "u/1"}, true, "u/1"},
		"a person":                           {map[string]string{asks: ""}, false, ""},
		"a person, after a record":           {map[string]string{asks: "now", operation: "u/1"}, false, ""},
		"a person, with two that are empty":  {map[string]string{asks: "", operation: ""}, false, ""},
		"the version before":                 {map[string]string{asks: "2026-01-01T00:00:00Z", at: "2026-01-01T00:00:00Z"}, true, ""},
		"a record, after the version before": {map[string]string{asks: "u/1", operation: "u/1", at: "2026-01-01T00:00:00Z"}, true, "u/1"},
		"a person, after the version before": {map[string]string{asks: "", at: "2026-01-01T00:00:00Z"}, false, ""},
	} {
		machine := build.Machine("ns", "m")
		machine.Annotations = tt.annotations
		if got := remedy.RebootRequestedByHealthCheck(machine); got != tt.byHealthCheck {
			t.Errorf("%s: by a health check is %t", name, got)
		}
		if got := remedy.RebootOperation(machine); got != tt.operation {
			t.Errorf("%s: the operation is %q", name, got)
		}
	}
}

func TestRebootDueAt(t *testing.T) {
	tests := map[string]struct {
		value string
		want  time.Time
	}{
		"never asked":  {"", time.Time{}},
		"asked":        {"2026-01-01T00:00:00Z", build.Epoch.Add(time.Minute)},
		"another zone": {"2026-01-01T01:00:00+01:00", build.Epoch.Add(time.Minute)},
		"not a time":   {"soon", time.Time{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			machine := build.Machine("ns", "m", build.Annotation(remedy.RebootRequestedAtAnnotation, tt.value))
			if got := remedy.RebootDueAt(machine, time.Minute); !got.Equal(tt.want) {
				t.Errorf("due at %s, want %s", got, tt.want)
			}
		})
	}
}

const operation, earlier = "record/2", "record/1"

func TestAskReboot(t *testing.T) {
	asked := map[string]string{remedy.RebootAnnotation: operation, remedy.RebootOperationAnnotation: operation}
	tests := map[string]struct {
		before map[string]string
		want   map[string]string
	}{
		"without annotations": {nil, asked},
		"after an earlier one": {
			map[string]string{remedy.RebootOperationAnnotation: earlier}, asked,
		},
		"after the version before": {
			map[string]string{remedy.RebootRequestedAtAnnotation: "2026-01-01T00:00:00Z"},
			map[string]string{remedy.RebootAnnotation: operation, remedy.RebootOperationAnnotation: operation, remedy.RebootRequestedAtAnnotation: "2026-01-01T00:00:00Z"},
		},
		"once more, while it stands":  {asked, asked},
		"once more, after it is done": {map[string]string{remedy.RebootOperationAnnotation: operation}, map[string]string{remedy.RebootOperationAnnotation: operation}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, build.MachineFunc(func(m *clusterv1.Machine) { m.Annotations = tt.before }))
			before, machine := f.stored(t), f.stored(t)
			if err := remedy.AskReboot(t.Context(), f.c, machine, operation); err != nil {
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

// TestAskRebootIsBound: the request depends only on the Machine and on requests that exist
// already.
func TestAskRebootIsBound(t *testing.T) {
	tests := map[string]struct {
		before []build.MachineOption
		bound
	}{
		"the Machine is written to":      {nil, bound{anotherAnnotation, false}}, // its first annotation ever
		"it gets one annotation more":    {[]build.MachineOption{build.Annotation("some", "")}, bound{anotherAnnotation, true}},
		"its status is written":          {nil, bound{conditionBecomes("Disk", "True", "Fine"), true}},
		"a person asks":                  {nil, bound{annotated(remedy.RebootAnnotation, ""), false}},
		"a person asks, too":             {[]build.MachineOption{build.Annotation("some", "")}, bound{annotated(remedy.RebootAnnotation, ""), false}},
		"another leader has asked":       {[]build.MachineOption{build.Annotation("some", "")}, bound{annotated(remedy.RebootOperationAnnotation, operation), false}},
		"what was asked last is another": {[]build.MachineOption{build.Annotation(remedy.RebootOperationAnnotation, earlier)}, bound{annotated(remedy.RebootOperationAnnotation, operation), false}},
		"the Machine is gone":            {nil, bound{machineGone, false}},
		"another Machine has its name":   {nil, bound{anotherMachine, false}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, tt.before...)
			tt.check(t, f, func(m *clusterv1.Machine) error { return remedy.AskReboot(t.Context(), f.c, m, operation) })
			if tt.written && f.stored(t).Annotations[remedy.RebootAnnotation] != operation {
				t.Error("it is not asked for")
			}
		})
	}
}

// TestWithdrawReboot: the Machine still shows that the operation was asked for.
func TestWithdrawReboot(t *testing.T) {
	f := newHarness(t, build.Annotation("other", "kept"))
	machine := f.stored(t)
	if err := remedy.AskReboot(t.Context(), f.c, machine, operation); err != nil {
		t.Fatal(err)
	}
	if err := remedy.WithdrawReboot(t.Context(), f.c, machine); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"other": "kept", remedy.RebootOperationAnnotation: operation}
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
		"a person asks instead":        {annotated(remedy.RebootAnnotation, ""), false},
		"it was carried out":           {annotationGoes(remedy.RebootAnnotation), false},
		"the Machine is gone":          {machineGone, false},
		"another Machine has its name": {anotherMachine, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, build.Annotation(remedy.RebootAnnotation, operation), build.Annotation(remedy.RebootOperationAnnotation, operation))
			tt.check(t, f, func(m *clusterv1.Machine) error { return remedy.WithdrawReboot(t.Context(), f.c, m) })
			if !tt.written {
				return
			}
			if _, stands := f.stored(t).Annotations[remedy.RebootAnnotation]; stands {
				t.Error("it is still asked for")
			}
		})
	}
}
