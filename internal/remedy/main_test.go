package remedy_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) {
	env.Main(m, env.WithScheme(v1alpha1.AddToScheme), env.WithCRDFiles("config/crd/sickbay*.yaml"))
}

// fixture is a Machine of a MachineSet on the API server, and the remedies for it.
type fixture struct {
	remedy.Cabinet
	c       client.Client
	ns      string
	machine *clusterv1.Machine
	mhc     *clusterv1.MachineHealthCheck
}

// now is when remedies are applied.
var now = build.Epoch.Add(24 * time.Hour)

func newFixture(t *testing.T, opts ...build.MachineOption) *fixture {
	t.Helper()
	e := env.Get(t)
	f := &fixture{c: e.Client, ns: e.Namespace(t)}
	set := build.MachineSet(f.ns, "set")
	build.Create(t.Context(), t, e.Client, set)
	f.machine = build.Machine(f.ns, "m", append([]build.MachineOption{build.OwnedBy(set)}, opts...)...)
	build.Create(t.Context(), t, e.Client, f.machine)
	template := env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind)
	f.mhc = build.MachineHealthCheck(f.ns, "mhc", build.TemplateRef(template, "fix"))
	f.Cabinet = remedy.NewCabinet(e.Client, e.Client, testingclock.NewFakePassiveClock(now))
	return f
}

// apply applies a remedy to the Machine as the fixture knows it.
func (f *fixture) apply(t *testing.T, kind remedy.Kind) (string, error) {
	t.Helper()
	return f.Apply(t.Context(), kind, remedy.Patient{Machine: f.machine.DeepCopy(), MachineHealthCheck: f.mhc})
}

// mustApply applies it and reads the Machine again.
func (f *fixture) mustApply(t *testing.T, kind remedy.Kind, want string) {
	t.Helper()
	done, err := f.apply(t, kind)
	if err != nil {
		t.Fatal(err)
	}
	if done != want {
		t.Errorf("done is %q, want %q", done, want)
	}
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

// touch changes the Machine, so that what the fixture knows is stale.
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
