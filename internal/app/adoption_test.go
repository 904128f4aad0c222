package app

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck/adoption"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestDrainGivesBackWhateverIsAdopted: a manager that drains gives back what a label has handed over, whichever MachineHealthChecks it would
// adopt otherwise. If not, Cluster API's own controller would stay paused for ever.
func TestDrainGivesBackWhateverIsAdopted(t *testing.T) {
	e := env.Get(t)
	mhc := build.MachineHealthCheck(e.Namespace(t), "a", build.InCluster("blue"))
	build.Create(t.Context(), t, e.Client, mhc)
	set := map[string]any{"metadata": map[string]any{"annotations": map[string]any{clusterv1.PausedAnnotation: "sickbay"}}}
	if err := ownwrites.Apply(t.Context(), e.Client, adoption.FieldOwner, mhc, set); err != nil {
		t.Fatal(err)
	}
	o := optionsOf(mhc.Namespace, machinehealthcheck.ControllerName)
	o.Policy.Drain = true
	run(t, o)
	stored := &clusterv1.MachineHealthCheck{}
	g := NewWithT(t)
	g.Eventually(func() bool {
		g.Expect(e.Client.Get(t.Context(), client.ObjectKeyFromObject(mhc), stored)).To(Succeed())
		return mhcspec.HasAnnotation(stored, clusterv1.PausedAnnotation)
	}, time.Minute).Should(BeFalse())
}
