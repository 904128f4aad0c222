package intake

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestRequestOfAMachineThatGoes: who asks is told how it ended also if the Machine is gone by then, and that there is none with that name.
func TestRequestOfAMachineThatGoes(t *testing.T) {
	byHand := func(machine string) func(*v1alpha1.RebootRemediation) {
		return func(r *v1alpha1.RebootRemediation) {
			r.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson, Name: "ann"}
			r.Spec.Machine = &v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine}
		}
	}
	t.Run("its record has ended", func(t *testing.T) {
		f := newHarness(t)
		request := f.ask("reboot-m", byHand("m"))
		f.reconcile()
		f.must(f.env.Client.Delete(t.Context(), f.machine))
		f.ends(f.record(), metav1.ConditionFalse, v1alpha1.ReasonMachineDeleted)
		f.must(f.tryReconcile())
		if got := f.told(request); !strings.HasPrefix(got, "False MachineDeleted") {
			t.Errorf("it is told %q, so a program that waits for Succeeded never ends", got)
		}
	})
	t.Run("there is none", func(t *testing.T) {
		f := newHarness(t)
		request := f.ask("reboot-x", byHand("x"))
		f.machine.Name = "x"
		f.must(f.tryReconcile())
		if got := f.told(request); got == "" {
			t.Error("it is told nothing")
		}
	})
}
