package remediation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// replacing is a harness in which the MachineSet has deleted machine a, as a plan has asked.
func replacing(t *testing.T) (*harness, *v1alpha1.MachineRemediation) {
	t.Helper()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a, by(step(v1alpha1.ActionReplace)))
	f.reconcile(record)
	f.wantStanding("a: mark")
	f.goes(a)
	f.reconcile(record)
	f.wantRecord(record, "Acting WaitingForReplacement replace:-")
	f.wantSlot(record, true)
	return f, record
}

// comes stores a machine of the MachineSet that is new.
func (f *harness) comes(name string, opts ...build.MachineOption) *clusterv1.Machine {
	f.t.Helper()
	machine := build.Machine(f.ns, name, append([]build.MachineOption{build.OwnedBy(f.set)}, opts...)...)
	build.Create(f.t.Context(), f.t, f.env.Client, machine)
	return machine
}

// TestNextReplacementCounts: if the machine that a record has waited for goes, one look finds the next one, since that one may have nothing more to say.
func TestNextReplacementCounts(t *testing.T) {
	t.Parallel()
	for name, goes := range map[string]func(*harness, *clusterv1.Machine){
		"it is gone":          func(f *harness, b *clusterv1.Machine) { f.goes(b) },
		"it is being deleted": func(f *harness, b *clusterv1.Machine) { remove(f, b) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, record := replacing(t)
			b := f.comes("b", build.Finalizer(keep))
			f.reconcile(record)
			f.judge(f.comes("c"), metav1.ConditionTrue)
			goes(f, b)
			f.reconcile(record)
			f.wantRecord(record, "Probation Probation replace:-")
		})
	}
}

func TestReplacementInVain(t *testing.T) {
	t.Parallel()
	type row struct {
		happens func(f *harness)
		want    string
	}
	tests := map[string]row{
		"the new machine is sick": {func(f *harness) {
			b := f.comes("b")
			f.judge(b, metav1.ConditionFalse)
			f.admit(b)
		}, "Ended Ended ReplacementFailed replace:Failed"},
		"the new machine goes": {func(f *harness) { f.comes("b", build.Deleting(f.clock.Now())) }, "Acting WaitingForReplacement replace:-"},
		"none comes":           {func(f *harness) { f.pass(12 * time.Minute) }, "Ended Ended Unproven replace:TimedOut"},
		"it is not seen healthy": {func(f *harness) {
			f.judge(f.comes("b"), metav1.ConditionUnknown)
			f.pass(12 * time.Minute)
		}, "Ended Ended Unproven replace:TimedOut"},
		"the owner is scaled down": {func(f *harness) {
			change(f, f.set, func(s *clusterv1.MachineSet) { s.Spec.Replicas = new(int32(0)) })
		}, "Ended Ended MachineDeleted replace:Unneeded"},
		"the owner is gone":    {func(f *harness) { remove(f, f.set) }, "Ended Ended MachineDeleted replace:Unneeded"},
		"the check is on hold": {func(f *harness) { annotate(f, f.mhc, mhcspec.HoldUntilAnnotation, "forever") }, "Acting OnHold replace:-"},
		"its hold is just over": {func(f *harness) {
			annotate(f, f.mhc, mhcspec.HoldUntilAnnotation, f.clock.Now().Add(24*time.Hour-time.Minute).Format(time.RFC3339))
			f.pass(24 * time.Hour)
		}, "Acting WaitingForReplacement replace:-"},
		"the Cluster is paused": {func(f *harness) { setPaused(f, true) }, "Acting Paused replace:-"},
		"the Cluster is gone":   {func(f *harness) { remove(f, f.cluster) }, "Ended Ended MachineDeleted replace:Unneeded"},
		"the check is gone":     {func(f *harness) { remove(f, f.mhc) }, "Ended Ended HandedBack replace:Aborted"},
		"the record is deleted": {func(f *harness) { remove(f, f.recordOf("a")) }, "gone"},
		"somebody has made another one before": {func(f *harness) {
			change(f, f.set, func(s *clusterv1.MachineSet) { s.Spec.Replicas = new(int32(2)) })
		}, "Acting WaitingForReplacement replace:-"},
	}
	rows(t, tests, func(t *testing.T, tt row) {
		t.Helper()
		f, record := replacing(t)
		tt.happens(f)
		f.reconcile(record)
		f.wantRecord(record, tt.want)
	})
}

// TestReplacementChain: the record of a successor that falls sick is named, also before there is one.
func TestReplacementChain(t *testing.T) {
	t.Parallel()
	rows(t, map[string]func(f *harness, b *clusterv1.Machine) string{
		"open": func(f *harness, b *clusterv1.Machine) string { return f.admit(b).Name },
		"none": func(_ *harness, b *clusterv1.Machine) string { return recordstore.Name(b.Name, b.UID, 1) },
		"ended": func(f *harness, b *clusterv1.Machine) string {
			f.over(b, 1, time.Hour)
			return recordstore.Name(b.Name, b.UID, 2)
		},
	}, func(t *testing.T, next func(f *harness, b *clusterv1.Machine) string) {
		t.Helper()
		f, record := replacing(t)
		b := f.comes("b", build.NodeRef("b"))
		f.judge(b, metav1.ConditionFalse)
		name := next(f, b)
		f.reconcile(record)
		f.wantRecord(record, "Ended Ended ReplacementFailed replace:Failed")
		got, _ := stored(f, record)
		if ref := got.Status.ReplacementRef; ref == nil || ref.Name != name {
			t.Errorf("its replacement is %v, want %s", ref, name)
		}
	})
}

// TestMachineWakesWhoWaitsForIt, and nobody else.
func TestMachineWakesWhoWaitsForIt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	var records []*v1alpha1.MachineRemediation
	for _, name := range []string{"a", "b"} {
		machine := f.sick(name)
		record := f.admit(machine, by(step(v1alpha1.ActionReplace)))
		f.reconcile(record)
		f.goes(machine)
		f.reconcile(record)
		records = append(records, record)
		f.pass(time.Second)
	}
	for i, name := range []string{"x", "y"} {
		machine := f.comes(name)
		got := f.ofMachine(t.Context(), machine)
		if len(got) != 1 || got[0].Name != records[i].Name {
			t.Errorf("%s wakes %v, want %s", name, got, records[i].Name)
		}
		f.reconcile(records[i])
		f.pass(time.Second)
	}
	if got := f.ofMachine(t.Context(), f.comes("z")); len(got) > 0 {
		t.Errorf("z wakes %v", got)
	}
	if got := f.ofMachine(t.Context(), f.comes("orphan", orphan())); len(got) > 0 {
		t.Errorf("an orphan wakes %v", got)
	}
}
