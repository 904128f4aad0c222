package remedy_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

func TestMain(m *testing.M) {
	env.Main(m, env.WithScheme(v1alpha1.AddToScheme, machinev1.Install), env.WithCRDFiles("config/crd/sickbay*.yaml"),
		env.WithModuleCRDs("github.com/openshift/api", "machine/v1beta1/zz_generated.crd-manifests/*_machines-Default.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/*_machinehealthchecks.crd.yaml"))
}

// harness is a Machine of a MachineSet on the API server.
type harness struct {
	c       client.Client
	ns      string
	machine *clusterv1.Machine
}

// now is when the tests act.
var now = build.Epoch.Add(24 * time.Hour)

func newHarness(t *testing.T, opts ...build.MachineOption) *harness {
	t.Helper()
	e := env.Get(t)
	f := &harness{c: e.Client, ns: e.Namespace(t)}
	set := build.MachineSet(f.ns, "set")
	build.Create(t.Context(), t, e.Client, set)
	f.machine = build.Machine(f.ns, "m", append([]build.MachineOption{build.OwnedBy(set)}, opts...)...)
	build.Create(t.Context(), t, e.Client, f.machine)
	return f
}

// stored returns the Machine as it is stored.
func (f *harness) stored(t *testing.T) *clusterv1.Machine {
	t.Helper()
	stored, exists := objects.Get(t, f.c, f.machine)
	if !exists {
		t.Fatal("the Machine is gone")
	}
	return stored
}

// touch changes the Machine, so that the harness's copy is stale.
func (f *harness) touch(t *testing.T) {
	t.Helper()
	objects.Annotate(t, f.c, f.machine, "touched", "yes")
}

// remove deletes the Machine.
func (f *harness) remove(t *testing.T) {
	t.Helper()
	objects.Delete(t, f.c, f.stored(t))
}

// meanwhile is something that somebody else does between the read of a Machine and the write.
type meanwhile func(t *testing.T, f *harness)

// bound says whether a write depends on a change that happens meanwhile.
type bound struct {
	meanwhile meanwhile
	// written says that the write succeeds all the same.
	written bool
}

// check makes the change after the Machine was read, and asserts whether the write succeeds.
func (b bound) check(t *testing.T, f *harness, write func(machine *clusterv1.Machine) error) {
	t.Helper()
	seen := f.stored(t)
	b.meanwhile(t, f)
	before := f.version(t)
	err := write(seen)
	if b.written {
		if err != nil {
			t.Fatalf("not written: %v", err)
		}
		return
	}
	if !errors.Is(err, remedy.ErrChanged) {
		t.Errorf("error is %v, want the one that says that the Machine has changed", err)
	}
	if f.version(t) != before {
		t.Error("it was written nevertheless")
	}
}

// version returns the resource version of the Machine with the name; empty if there is none.
func (f *harness) version(t *testing.T) string {
	t.Helper()
	var list clusterv1.MachineList
	if err := f.c.List(t.Context(), &list); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list.Items, func(m clusterv1.Machine) bool { return m.Namespace == f.ns && m.Name == f.machine.Name })
	if i < 0 {
		return ""
	}
	return list.Items[i].ResourceVersion
}

func anotherAnnotation(t *testing.T, f *harness) {
	t.Helper()
	f.touch(t)
}

func anotherMachine(t *testing.T, f *harness) {
	t.Helper()
	again := f.stored(t)
	f.remove(t)
	again.ObjectMeta = metav1.ObjectMeta{Namespace: again.Namespace, Name: again.Name, Annotations: again.Annotations}
	build.Create(t.Context(), t, f.c, again)
}

func machineGone(t *testing.T, f *harness) {
	t.Helper()
	f.remove(t)
}

// otherOrder reorders the conditions, as Cluster API does when it writes: it sorts them.
func otherOrder(t *testing.T, f *harness) {
	t.Helper()
	f.writeStatus(t, func(s *clusterv1.MachineStatus) { slices.Reverse(s.Conditions) })
}

func conditionBecomes(conditionType string, status metav1.ConditionStatus, reason string) meanwhile {
	return func(t *testing.T, f *harness) {
		t.Helper()
		f.writeStatus(t, func(s *clusterv1.MachineStatus) {
			meta.SetStatusCondition(&s.Conditions, metav1.Condition{Type: conditionType, Status: status, Reason: reason, Message: "new"})
		})
	}
}

func conditionGoes(conditionType string) meanwhile {
	return func(t *testing.T, f *harness) {
		t.Helper()
		f.writeStatus(t, func(s *clusterv1.MachineStatus) { meta.RemoveStatusCondition(&s.Conditions, conditionType) })
	}
}

func annotated(key, value string) meanwhile {
	return func(t *testing.T, f *harness) {
		t.Helper()
		machine := f.stored(t)
		metav1.SetMetaDataAnnotation(&machine.ObjectMeta, key, value)
		if err := f.c.Update(t.Context(), machine); err != nil {
			t.Fatal(err)
		}
	}
}

func annotationGoes(key string) meanwhile {
	return func(t *testing.T, f *harness) {
		t.Helper()
		machine := f.stored(t)
		delete(machine.Annotations, key)
		if err := f.c.Update(t.Context(), machine); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *harness) writeStatus(t *testing.T, change func(*clusterv1.MachineStatus)) {
	t.Helper()
	machine := f.stored(t)
	change(&machine.Status)
	if err := f.c.Status().Update(t.Context(), machine); err != nil {
		t.Fatal(err)
	}
}
