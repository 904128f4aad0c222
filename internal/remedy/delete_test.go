package remedy_test

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// orphan is a harness whose Machine nobody owns, and which is sick.
func orphan(t *testing.T, opts ...build.MachineOption) *harness {
	t.Helper()
	sick := build.Condition(clusterv1.MachineHealthCheckSucceededCondition, metav1.ConditionFalse, "Sick", build.Epoch)
	unowned := build.MachineFunc(func(m *clusterv1.Machine) { m.OwnerReferences = nil })
	return newHarness(t, append([]build.MachineOption{sick, unowned}, opts...)...)
}

// adopted has the MachineSet of the harness own the Machine.
func adopted(t *testing.T, f *harness) {
	t.Helper()
	set, _ := objects.Get(t, f.c, build.MachineSet(f.ns, "set"))
	objects.Change(t, f.c, f.machine, func(m *clusterv1.Machine) {
		m.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, clusterv1.GroupVersion.WithKind("MachineSet"))}
	})
}

func labelled(t *testing.T, f *harness) {
	t.Helper()
	objects.Change(t, f.c, f.machine, func(m *clusterv1.Machine) { m.Labels["pool"] = "other" })
}

func joined(t *testing.T, f *harness) {
	t.Helper()
	objects.ChangeStatus(t, f.c, f.machine, func(m *clusterv1.Machine) { m.Status.NodeRef.Name = "late" })
}

// meanwhileChanges are what somebody else does before a deletion, and whether the Machine is deleted all the same.
var meanwhileChanges = map[string]bound{
	"the Machine is written to":    {anotherAnnotation, true},
	"its status is written":        {conditionBecomes("Disk", "True", "Fine"), true},
	"it recovers":                  {conditionBecomes(clusterv1.MachineHealthCheckSucceededCondition, metav1.ConditionTrue, "Fine"), false},
	"nobody can tell":              {conditionBecomes(clusterv1.MachineHealthCheckSucceededCondition, metav1.ConditionUnknown, "CutOff"), false},
	"its verdict goes":             {conditionGoes(clusterv1.MachineHealthCheckSucceededCondition), false},
	"it is paused":                 {annotated(clusterv1.PausedAnnotation, ""), false},
	"it is to be skipped":          {annotated(clusterv1.MachineSkipRemediationAnnotation, ""), false},
	"it is put on hold":            {annotated(mhcspec.HoldUntilAnnotation, "2100-01-01T00:00:00Z"), false},
	"a person wants its host off":  {annotated(rebootannotation.Request+"/PowerOff", ""), false},
	"somebody wants it rebooted":   {annotated(rebootannotation.Request, ""), false},
	"it gets its Node":             {joined, false},
	"it gets another label":        {labelled, false},
	"a controller adopts it":       {adopted, false},
	"the Machine is gone":          {machineGone, false},
	"another Machine has its name": {anotherMachine, false},
}

// TestDeleteMachineIsBound: a deletion cannot be taken back, so it depends on all that was judged, and on nothing else.
func TestDeleteMachineIsBound(t *testing.T) {
	for name, tt := range meanwhileChanges {
		t.Run(name, func(t *testing.T) {
			f := orphan(t)
			tt.check(t, f, func(m *clusterv1.Machine) error { return remedy.DeleteMachine(t.Context(), f.c, f.c, m) })
			if tt.written {
				expect.Gone(t.Context(), t, f.c, f.machine)
			}
		})
	}
}

// TestDeleteMachineReadsAnew: the same changes between the read of the deletion and the deletion itself.
func TestDeleteMachineReadsAnew(t *testing.T) {
	for name, tt := range meanwhileChanges {
		t.Run(name, func(t *testing.T) {
			f := orphan(t)
			judged, live := f.stored(t), &meddling{Reader: f.c}
			live.times, live.after = 1, func() { tt.meanwhile(t, f) }
			err := remedy.DeleteMachine(t.Context(), f.c, live, judged)
			if tt.written {
				if err != nil {
					t.Error(err)
				}
				expect.Gone(t.Context(), t, f.c, f.machine)
				return
			}
			if !errors.Is(err, remedy.ErrChanged) {
				t.Errorf("error is %v", err)
			}
			if stored, exists := objects.Get(t, f.c, f.machine); exists && !stored.DeletionTimestamp.IsZero() {
				t.Error("it was deleted nevertheless")
			}
		})
	}
}

// TestDeleteBusyMachine: one that others write to all the time is deleted all the same, within ten tries.
func TestDeleteBusyMachine(t *testing.T) {
	for times, deleted := range map[int]bool{9: true, 10: false} {
		f := orphan(t)
		live := &meddling{Reader: f.c, times: times}
		n := 0
		live.after = func() {
			n++
			f.writeStatus(t, func(s *clusterv1.MachineStatus) { s.ObservedGeneration = int64(n) })
		}
		err := remedy.DeleteMachine(t.Context(), f.c, live, f.stored(t))
		if _, exists := objects.Get(t, f.c, f.machine); exists == deleted || (err == nil) != deleted {
			t.Errorf("written %d times meanwhile: exists %t, %v", times, exists, err)
		}
		if !deleted && !errors.Is(err, remedy.ErrChanged) {
			t.Errorf("error is %v", err)
		}
	}
}

// TestDeleteMachineWithFinalizer: the owner of the finalizer tears the Machine down. Deleting it twice does no harm.
func TestDeleteMachineWithFinalizer(t *testing.T) {
	f := orphan(t, build.Finalizer("test.sickbay.dev/keep"))
	for range 2 {
		if err := remedy.DeleteMachine(t.Context(), f.c, f.c, f.stored(t)); err != nil {
			t.Fatal(err)
		}
		if f.stored(t).DeletionTimestamp.IsZero() {
			t.Error("it is not being deleted")
		}
	}
}

// TestDeleteMachineUnread: what cannot be read is not deleted, and that is no change of the Machine.
func TestDeleteMachineUnread(t *testing.T) {
	f := orphan(t)
	away := errors.New("the API server is away")
	err := remedy.DeleteMachine(t.Context(), f.c, &meddling{Reader: f.c, err: away}, f.stored(t))
	if !errors.Is(err, away) || errors.Is(err, remedy.ErrChanged) || !f.stored(t).DeletionTimestamp.IsZero() {
		t.Errorf("error is %v", err)
	}
}

// meddling is a reader after whose first reads something happens, or that cannot read.
type meddling struct {
	client.Reader
	times int
	after func()
	err   error
}

// Get implements client.Reader.
func (m *meddling) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if m.err != nil {
		return m.err
	}
	err := m.Reader.Get(ctx, key, obj, opts...)
	if m.times > 0 {
		m.times--
		m.after()
	}
	return err
}
