package objects_test

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

func TestMain(m *testing.M) { env.Main(m) }

func TestChange(t *testing.T) {
	e := env.Get(t)
	machine := build.Machine(e.Namespace(t), "m", build.Annotation("a", "1"))
	build.Create(t.Context(), t, e.Client, machine)

	// Somebody else writes between the read and the first write.
	tries := 0
	objects.Change(t, e.Client, machine, func(m *clusterv1.Machine) {
		if tries++; tries == 1 {
			objects.Annotate(t, e.Client, machine, "b", "2")
			objects.Unannotate(t, e.Client, machine, "a")
		}
		m.Spec.ProviderID = "changed"
	})
	objects.ChangeStatus(t, e.Client, machine, func(m *clusterv1.Machine) { m.Status.Phase = "Failed" })
	stored, exists := objects.Get(t, e.Client, machine)
	if !exists || stored.Spec.ProviderID != "changed" || stored.Status.Phase != "Failed" || len(stored.Annotations) != 1 || stored.Annotations["b"] != "2" {
		t.Errorf("stored is %+v, want all changes", stored)
	}
}

func TestDelete(t *testing.T) {
	e := env.Get(t)
	machine := build.Machine(e.Namespace(t), "m")
	build.Create(t.Context(), t, e.Client, machine)
	objects.Delete(t, e.Client, machine)
	if _, exists := objects.Get(t, e.Client, machine); exists {
		t.Error("it exists, want it gone")
	}
	namesake := build.Machine(machine.Namespace, "m")
	build.Create(t.Context(), t, e.Client, namesake)
	if _, exists := objects.Get(t, e.Client, machine); exists {
		t.Error("a namesake counts as the object")
	}
}
