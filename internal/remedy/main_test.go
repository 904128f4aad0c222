package remedy_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) {
	env.Main(m, env.WithScheme(v1alpha1.AddToScheme), env.WithCRDFiles("config/crd/sickbay*.yaml"))
}

// fixture is a Machine of a MachineSet on the API server.
type fixture struct {
	c       client.Client
	ns      string
	machine *clusterv1.Machine
}

// now is when the tests act.
var now = build.Epoch.Add(24 * time.Hour)

func newFixture(t *testing.T, opts ...build.MachineOption) *fixture {
	t.Helper()
	e := env.Get(t)
	f := &fixture{c: e.Client, ns: e.Namespace(t)}
	set := build.MachineSet(f.ns, "set")
	build.Create(t.Context(), t, e.Client, set)
	f.machine = build.Machine(f.ns, "m", append([]build.MachineOption{build.OwnedBy(set)}, opts...)...)
	build.Create(t.Context(), t, e.Client, f.machine)
	return f
}

// stored returns the Machine as it is stored.
func (f *fixture) stored(t *testing.T) *clusterv1.Machine {
	t.Helper()
	machine := &clusterv1.Machine{}
	if err := f.c.Get(t.Context(), client.ObjectKeyFromObject(f.machine), machine); err != nil {
		t.Fatal(err)
	}
	return machine
}

// touch changes the Machine, so that the fixture's copy is stale.
func (f *fixture) touch(t *testing.T) {
	t.Helper()
	machine := f.stored(t)
	metav1.SetMetaDataAnnotation(&machine.ObjectMeta, "touched", "yes")
	if err := f.c.Update(t.Context(), machine); err != nil {
		t.Fatal(err)
	}
}

// remove deletes the Machine.
func (f *fixture) remove(t *testing.T) {
	t.Helper()
	if err := f.c.Delete(t.Context(), f.stored(t)); err != nil {
		t.Fatal(err)
	}
}
