package successor

import (
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// at is a number of minutes after Epoch.
func at(minutes int) metav1.Time {
	return metav1.NewTime(build.Epoch.Add(time.Duration(minutes) * time.Minute))
}

// come is a machine of an owner that was created at some minute.
func come(name, owner string, minute int, opts ...build.MachineOption) *clusterv1.Machine {
	m := build.Machine("ns", name, append([]build.MachineOption{build.CreatedAt(at(minute).Time)}, opts...)...)
	m.OwnerReferences = []metav1.OwnerReference{{Kind: "MachineSet", Name: owner, UID: types.UID(owner), Controller: new(true)}}
	return m
}

func inPlaceOf(name string) build.MachineOption {
	return build.Annotation(ForAnnotation, fmt.Sprintf(`{"machine":%q,"timestamp":"2026-01-01T00:00:00Z","retryCount":0}`, name))
}

// asked is the record of a machine whose owner was asked at some minute for another one.
func asked(machine, owner string, minute int, opts ...func(*v1alpha1.MachineRemediation)) *v1alpha1.MachineRemediation {
	r := &v1alpha1.MachineRemediation{ObjectMeta: metav1.ObjectMeta{Name: machine + "-1", UID: types.UID("record of " + machine)}}
	r.Spec.MachineRef = v1alpha1.RemediatedMachineReference{Name: machine, UID: types.UID("uid-of-" + machine)}
	r.Spec.Steps = []v1alpha1.RemediationStep{{Name: "replace", Action: v1alpha1.ActionReplace}, {Name: "reboot", Action: v1alpha1.ActionReboot}}
	start := at(minute)
	r.Status.Attempts = []v1alpha1.RemediationAttempt{{
		Number: 1, Step: "replace", StartTime: &start, ObjectRef: &v1alpha1.RemediationObjectReference{Kind: "MachineSet", Name: owner, UID: types.UID(owner)},
	}}
	for _, opt := range opts {
		opt(r)
	}
	return r
}

func ended(minute int, result v1alpha1.AttemptResult) func(*v1alpha1.MachineRemediation) {
	return func(r *v1alpha1.MachineRemediation) {
		end := at(minute)
		r.Status.CompletionTime, r.Status.Attempts[0].EndTime, r.Status.Attempts[0].Result = &end, &end, result
	}
}

// claimed has a record refer to that of the machine in the place of its own.
func claimed(machine string) func(*v1alpha1.MachineRemediation) {
	return func(r *v1alpha1.MachineRemediation) {
		r.Status.ReplacementRef = &v1alpha1.RemediationReference{Name: recordstore.Name(machine, types.UID("uid-of-"+machine), 1)}
	}
}

func TestSuccessorOf(t *testing.T) {
	type machines = []*clusterv1.Machine
	type records = []*v1alpha1.MachineRemediation
	tests := map[string]struct {
		machines machines
		// records are those of the cluster; the first is asked about.
		records records
		want    string
	}{
		"none has come":      {machines{come("old", "set", 0)}, records{asked("a", "set", 10)}, ""},
		"one has come":       {machines{come("old", "set", 0), come("new", "set", 11)}, records{asked("a", "set", 10)}, "new"},
		"in the same moment": {machines{come("new", "set", 10)}, records{asked("a", "set", 10)}, "new"},
		"our clock is ahead": {machines{come("new", "set", 9)}, records{asked("a", "set", 10)}, "new"},
		"long before":        {machines{come("new", "set", 8)}, records{asked("a", "set", 10)}, ""},
		"before the record": {machines{come("new", "set", 9)}, records{asked("a", "set", 10, func(r *v1alpha1.MachineRemediation) {
			r.CreationTimestamp = at(10)
		})}, ""},
		"of another owner":              {machines{come("new", "other", 11)}, records{asked("a", "set", 10)}, ""},
		"the oldest of several":         {machines{come("c", "set", 13), come("b", "set", 11), come("d", "set", 12)}, records{asked("a", "set", 10)}, "b"},
		"the first asks first":          {machines{come("x", "set", 21), come("y", "set", 22)}, records{asked("b", "set", 11), asked("a", "set", 10)}, "y"},
		"the first has all":             {machines{come("x", "set", 21)}, records{asked("b", "set", 11), asked("a", "set", 10)}, ""},
		"at once, by UID":               {machines{come("x", "set", 21), come("y", "set", 22)}, records{asked("b", "set", 10), asked("a", "set", 10)}, "y"},
		"the first is still there":      {machines{come("a", "set", 0), come("x", "set", 21)}, records{asked("b", "set", 11), asked("a", "set", 10)}, "x"},
		"the first asked another":       {machines{come("x", "set", 21)}, records{asked("b", "set", 11), asked("a", "other", 10)}, "x"},
		"the first has ended":           {machines{come("x", "set", 12), come("y", "set", 22)}, records{asked("b", "set", 11), asked("a", "set", 10, ended(20, v1alpha1.ResultSucceeded))}, "y"},
		"the later one has ended":       {machines{come("x", "set", 12), come("y", "set", 22)}, records{asked("b", "set", 11), asked("c", "set", 12, ended(20, v1alpha1.ResultSucceeded))}, "y"},
		"the successor has failed":      {machines{come("x", "set", 12), come("y", "set", 22)}, records{asked("b", "set", 11), asked("a", "set", 10, ended(20, v1alpha1.ResultFailed))}, "y"},
		"the first came to nothing":     {machines{come("x", "set", 12)}, records{asked("b", "set", 11), asked("a", "set", 10, ended(20, v1alpha1.ResultUnneeded))}, "x"},
		"it came after the first ended": {machines{come("y", "set", 22)}, records{asked("b", "set", 11), asked("a", "set", 10, ended(20, v1alpha1.ResultSucceeded))}, "y"},
		"a control plane names it":      {machines{come("x", "kcp", 11), come("y", "kcp", 12, inPlaceOf("a"))}, records{asked("a", "kcp", 10)}, "y"},
		"a control plane names another": {machines{come("x", "kcp", 11, inPlaceOf("b"))}, records{asked("a", "kcp", 10)}, ""},
		"a control plane names none":    {machines{come("x", "kcp", 11)}, records{asked("a", "kcp", 10)}, "x"},
		"what it has claimed before":    {machines{come("x", "set", 11), come("y", "set", 12)}, records{asked("a", "set", 10, claimed("y"))}, "y"},
		"what others have claimed":      {machines{come("x", "set", 11), come("y", "set", 12)}, records{asked("a", "set", 10), asked("b", "set", 11, claimed("x"))}, "y"},
		"what another claimed that has failed": {
			machines{come("x", "set", 11), come("y", "set", 12)},
			records{asked("a", "set", 10), asked("b", "set", 11, claimed("x"), ended(15, v1alpha1.ResultFailed))}, "y",
		},
		"what another claimed that is gone": {
			machines{come("y", "set", 12)},
			records{asked("a", "set", 10), asked("b", "set", 11, claimed("x"), ended(15, v1alpha1.ResultFailed))}, "y",
		},
		"what it has claimed is gone": {machines{come("y", "set", 12)}, records{asked("a", "set", 10, claimed("x"))}, ""},
		"the later one was deleted first": {
			machines{come("a", "set", 0, build.Deleting(at(20).Time)), come("b", "set", 0, build.Deleting(at(15).Time)), come("x", "set", 21)},
			records{asked("b", "set", 11), asked("a", "set", 10)}, "x",
		},
		"the later one went first": {
			machines{come("a", "set", 0, build.Deleting(at(20).Time)), come("x", "set", 21)}, records{asked("b", "set", 11), asked("a", "set", 10)}, "x",
		},
		"it had moved to another owner": {machines{come("b", "new", 13)}, records{asked("a", "old", 10, func(r *v1alpha1.MachineRemediation) {
			r.Status.Attempts[0].ObjectRef.UID = "new"
		})}, "b"},
		"it has not moved": {machines{come("b", "new", 13)}, records{asked("a", "old", 10)}, ""},
		"nobody was asked": {machines{come("x", "set", 11)}, records{asked("a", "set", 10, func(r *v1alpha1.MachineRemediation) {
			r.Status.Attempts[0].Step = "reboot"
		})}, ""},
		"nothing was done": {machines{come("x", "set", 11)}, records{asked("a", "set", 10, func(r *v1alpha1.MachineRemediation) { r.Status.Attempts = nil })}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if m := Of(tt.records[0], tt.machines, tt.records); m != nil {
				got = m.Name
			}
			if got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}

// TestSuccessors: all at once are the same as one by one.
func TestSuccessors(t *testing.T) {
	machines := []*clusterv1.Machine{come("x", "set", 11), come("y", "set", 12), come("z", "other", 13), come("w", "set", 30)}
	records := []*v1alpha1.MachineRemediation{
		asked("a", "set", 10), asked("b", "set", 11), asked("c", "other", 12), asked("d", "set", 29), asked("e", "set", 31),
		asked("f", "set", 10, ended(20, v1alpha1.ResultSucceeded)),
	}
	all := All(machines, records)
	for i := range records {
		one := Of(records[i], machines, records)
		if got := all[records[i].UID]; (one == nil) != (got == nil) || (one != nil && one.UID != got.UID) {
			t.Errorf("%s: %v, and by itself %v", records[i].Name, got, one)
		}
	}
	if len(all) != 3 {
		t.Errorf("%d have a successor", len(all))
	}
}

// TestStormOfReplacements: the successors of a thousand records cost a few milliseconds in all.
func TestStormOfReplacements(t *testing.T) {
	const n = 1000
	var machines []*clusterv1.Machine
	var records []*v1alpha1.MachineRemediation
	for i := range n {
		machines = append(machines, come(fmt.Sprintf("old-%04d", i), "set", 0))
		records = append(records, asked(fmt.Sprintf("gone-%04d", i), "set", 10))
	}
	for _, arrived := range []int{0, n / 2, n} {
		all := slices.Clone(machines)
		for i := range arrived {
			all = append(all, come(fmt.Sprintf("new-%04d", i), "set", 11))
		}
		result := testing.Benchmark(func(b *testing.B) {
			b.Helper()
			for b.Loop() {
				if got := All(all, records); len(got) != arrived {
					b.Fatalf("%d have a successor", len(got))
				}
			}
		})
		if each := time.Duration(result.NsPerOp()); each > time.Second {
			t.Errorf("%d have come: it takes %s", arrived, each)
		}
	}
}

// TestManyOwners: the successors of one record of each of 300 owners cost about as much as those of 300 records of one.
func TestManyOwners(t *testing.T) {
	allocated := func(owner func(i int) string) uint64 {
		var machines []*clusterv1.Machine
		var records []*v1alpha1.MachineRemediation
		for i := range 300 {
			machines = append(machines, come(fmt.Sprint("new-", i), owner(i), 11))
			records = append(records, asked(fmt.Sprint("gone-", i), owner(i), 10))
		}
		return expect.Allocated(func() {
			if got := All(machines, records); len(got) != len(records) {
				t.Errorf("%d have a successor", len(got))
			}
		})
	}
	one, many := allocated(func(int) string { return "set" }), allocated(func(i int) string { return fmt.Sprint("set-", i) })
	if many > 3*one {
		t.Errorf("of one owner %d bytes, of 300 owners %d", one, many)
	}
}

// TestSuccessorBeforeAClockThatIsAhead: the manager's clock is two minutes ahead of the API server's. The record was made at minute 10 and its
// owner asked at once; the new machine was created seconds later.
func TestSuccessorBeforeAClockThatIsAhead(t *testing.T) {
	record := asked("old", "set", 12)   // by the manager's clock
	record.Spec.Finding.Since = at(12)  // by the manager's clock
	record.CreationTimestamp = at(10)   // by the API server's
	successor := come("new", "set", 10) // by the API server's
	successor.CreationTimestamp = metav1.NewTime(at(10).Add(5 * time.Second))
	if got := Of(record, []*clusterv1.Machine{successor}, []*v1alpha1.MachineRemediation{record}); got == nil {
		t.Error("the machine that has come in its place is not found")
	}
}

// TestNoSuccessorBeforeTheApproval: a person approved the replacement hours after the record was made. A machine that the owner made meanwhile,
// because it was scaled up, does not take the place of the old one.
func TestNoSuccessorBeforeTheApproval(t *testing.T) {
	record := asked("old", "set", 300)
	record.Spec.Finding.Since, record.CreationTimestamp = at(9), at(10)
	if got := Of(record, []*clusterv1.Machine{come("more", "set", 100)}, []*v1alpha1.MachineRemediation{record}); got != nil {
		t.Errorf("%s takes its place", got.Name)
	}
}
