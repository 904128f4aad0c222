package machinehealthcheck

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestAnnotationsGetSlotsInTurn: programs annotate two healthy machines, and one host may be cycled at a time. The earlier record gets the slot, the
// other one once that has ended. A pause does not keep the slot from what people ask for.
func TestAnnotationsGetSlotsInTurn(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	mhc := w.check(t, maxInFlight("1"), build.Annotation(clusterv1.PausedAnnotation, ""))
	both := []*v1alpha1.MachineRemediation{w.askedByAnnotation(t, "a"), w.askedByAnnotation(t, "b")}
	granted := func() (list []*v1alpha1.MachineRemediation) {
		for _, one := range both {
			if latest, _ := stored(t, w, one); latest.Spec.Grant > 0 {
				list = append(list, latest)
			}
		}
		return list
	}
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	first := granted()
	if len(first) != 1 {
		t.Fatalf("%d have a slot", len(first))
	}
	changeStatus(t, w, first[0], func(r *v1alpha1.MachineRemediation) {
		r.Status.Phase, r.Status.CompletionTime = v1alpha1.RemediationEnded, new(metav1.NewTime(w.clock.Now()))
	})
	w.reconcile(t, mhc)
	if n := len(granted()); n != 2 {
		t.Errorf("once the first has ended, %d have got a slot", n)
	}
}

// askedByAnnotation stores a healthy machine, and the record that its annotation asked for, which waits for a slot.
func (w *harness) askedByAnnotation(t *testing.T, name string) *v1alpha1.MachineRemediation {
	t.Helper()
	machine := w.healthy(t, name)
	asked := recordstore.New(w.cluster, 1, v1alpha1.MachineRemediationSpec{
		ClusterName: w.cluster.Name,
		MachineRef:  v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine.Name, UID: machine.UID},
		RequestedBy: &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: "reboot.metal3.io"},
		Steps:       []v1alpha1.RemediationStep{{Name: "reboot", Action: v1alpha1.ActionReboot, TimeoutSeconds: new(int32(600))}},
	})
	build.Create(t.Context(), t, w.env.Client, asked)
	changeStatus(t, w, asked, func(r *v1alpha1.MachineRemediation) {
		r.Status.Phase, r.Status.Attempt, r.Status.Step, r.Status.SlotWanted = v1alpha1.RemediationPending, 1, "reboot", true
	})
	return asked
}
