package ownwrites

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) { env.Main(m) }

const verdict, mark = "HealthCheckSucceeded", "OwnerRemediated"

// applied makes owner apply exactly the conditions of those types to a Machine.
func applied(t *testing.T, e *env.Env, machine *clusterv1.Machine, owner, reason string, types ...string) {
	t.Helper()
	conditions := []any{}
	for _, conditionType := range types {
		conditions = append(conditions, map[string]any{
			"type": conditionType, "status": "False", "reason": reason, "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z",
		})
	}
	fields := map[string]any{"status": map[string]any{"conditions": conditions}}
	if err := ApplyStatus(t.Context(), e.Client, owner, machine, fields); err != nil {
		t.Fatal(err)
	}
	if stored := read(t, e, machine); machine.ResourceVersion != stored.ResourceVersion {
		t.Errorf("the version of the write is %s, want %s", machine.ResourceVersion, stored.ResourceVersion)
	}
}

// update changes the reason of all conditions, as a controller does that patches what it has
// read.
func update(t *testing.T, e *env.Env, machine *clusterv1.Machine, owner, reason string) {
	t.Helper()
	changed := read(t, e, machine)
	for i := range changed.Status.Conditions {
		changed.Status.Conditions[i].Reason = reason
	}
	if err := e.Client.Status().Update(t.Context(), changed, client.FieldOwner(owner)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, e *env.Env, machine *clusterv1.Machine) *clusterv1.Machine {
	t.Helper()
	stored := &clusterv1.Machine{}
	if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(machine), stored); err != nil {
		t.Fatal(err)
	}
	return stored
}

// TestWrote reads managed fields that the API server wrote.
func TestWrote(t *testing.T) {
	const ours, others = "sickbay-machinehealth", "somebody-else"
	tests := map[string]struct {
		arrange       func(e *env.Env, m *clusterv1.Machine)
		verdict, mark bool
	}{
		"nothing written": {func(*env.Env, *clusterv1.Machine) {}, false, false},
		"we wrote it":     {func(e *env.Env, m *clusterv1.Machine) { applied(t, e, m, ours, "R", verdict) }, true, false},
		"somebody else":   {func(e *env.Env, m *clusterv1.Machine) { applied(t, e, m, others, "R", verdict, mark) }, false, false},
		"each wrote one": {func(e *env.Env, m *clusterv1.Machine) {
			applied(t, e, m, others, "R", verdict)
			applied(t, e, m, ours, "R", mark)
		}, false, true},
		"we withdrew it": {func(e *env.Env, m *clusterv1.Machine) {
			applied(t, e, m, ours, "R", verdict, mark)
			applied(t, e, m, ours, "R", mark)
		}, false, true},
		"somebody else changed a part of it": {func(e *env.Env, m *clusterv1.Machine) {
			applied(t, e, m, ours, "R", verdict)
			update(t, e, m, others, "S")
		}, true, false},
		"somebody else wrote the same": {func(e *env.Env, m *clusterv1.Machine) {
			applied(t, e, m, ours, "R", verdict)
			applied(t, e, m, others, "R", verdict)
		}, true, false},
		"we changed what somebody else wrote": {func(e *env.Env, m *clusterv1.Machine) {
			applied(t, e, m, others, "R", verdict)
			applied(t, e, m, ours, "S", verdict)
		}, true, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := env.Get(t)
			machine := build.Machine(e.Namespace(t), "m")
			build.Create(t.Context(), t, e.Client, machine)
			tt.arrange(e, machine)
			stored := read(t, e, machine)
			check(t, stored, ours, tt.verdict, tt.mark)

			reduced, err := KeepOurManagedFields(stored)
			if err != nil {
				t.Fatal(err)
			}
			check(t, reduced.(*clusterv1.Machine), ours, tt.verdict, tt.mark)
		})
	}
}

func check(t *testing.T, machine *clusterv1.Machine, owner string, wroteVerdict, wroteMark bool) {
	t.Helper()
	if got := Wrote(machine, verdict, owner); got != wroteVerdict {
		t.Errorf("Wrote(%s) is %t, want %t", verdict, got, wroteVerdict)
	}
	if got := Wrote(machine, mark, owner); got != wroteMark {
		t.Errorf("Wrote(%s) is %t, want %t", mark, got, wroteMark)
	}
}

func TestKeepOurManagedFields(t *testing.T) {
	e := env.Get(t)
	machine := build.Machine(e.Namespace(t), "m")
	build.Create(t.Context(), t, e.Client, machine)
	applied(t, e, machine, "sickbay-machinehealth", "R", verdict)
	applied(t, e, machine, RemediationFieldOwner, "R", mark)
	applied(t, e, machine, "sickbay", "R", "Other")
	before := read(t, e, machine)
	kept, err := KeepOurManagedFields(before.DeepCopy())
	if err != nil {
		t.Fatal(err)
	}
	var owners []string
	for _, entry := range kept.(*clusterv1.Machine).ManagedFields {
		owners = append(owners, entry.Manager)
	}
	if diff := cmp.Diff([]string{"sickbay-machinehealth", RemediationFieldOwner}, owners); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
	kept.(*clusterv1.Machine).ManagedFields = before.ManagedFields
	if diff := cmp.Diff(before, kept); diff != "" {
		t.Errorf("something else changed (-before +after):\n%s", diff)
	}
}

// TestNotAnObject passes what a cache passes for an object whose deletion it has missed.
func TestNotAnObject(t *testing.T) {
	if got, err := KeepOurManagedFields("tombstone"); got != "tombstone" || err != nil {
		t.Errorf("got %v and error %v, want it as it was", got, err)
	}
}

// TestBrokenManagedFields: broken managed fields do not count as written by us.
func TestBrokenManagedFields(t *testing.T) {
	machine := build.Machine("ns", "m")
	machine.ManagedFields = []metav1.ManagedFieldsEntry{
		{Manager: "sickbay-machinehealth"},
		{Manager: "sickbay-machinehealth", FieldsV1: metav1.NewFieldsV1("{")},
		{Manager: "sickbay-machinehealth", FieldsV1: metav1.NewFieldsV1(`{"f:status":[]}`)},
	}
	check(t, machine, "sickbay-machinehealth", false, false)
}
