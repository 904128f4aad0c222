package machinehealthcheck

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestAnnotationsGetSlotsInTurn: programs annotate two healthy machines, and one host may be cycled at a time. The earlier record gets the slot, the
// other one once that has ended. Neither a pause, a hold nor a dry-run keeps the slot from what people ask for.
func TestAnnotationsGetSlotsInTurn(t *testing.T) {
	t.Parallel()
	for name, annotation := range map[string]string{
		"": "sickbay.dev/none", "paused": clusterv1.PausedAnnotation, "in dry-run": mhcspec.DryRunAnnotation, "on hold": mhcspec.HoldUntilAnnotation,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			mhc := w.check(t, build.Annotation(mhcspec.MaxInFlightAnnotation, "1"), build.Annotation(annotation, "true"))
			first, second := w.askedByAnnotation(t, "a"), w.askedByAnnotation(t, "b")
			live := func(of *v1alpha1.MachineRemediation) *v1alpha1.MachineRemediation {
				latest := &v1alpha1.MachineRemediation{}
				if err := w.env.Client.Get(t.Context(), client.ObjectKeyFromObject(of), latest); err != nil {
					t.Fatal(err)
				}
				return latest
			}
			grants := func() string {
				return fmt.Sprint(live(first).Spec.Grant, live(second).Spec.Grant)
			}
			w.reconcile(t, mhc)
			w.reconcile(t, mhc)
			switch got := grants(); got {
			case "1 0":
			case "0 1":
				// Made in the same second, the UIDs decide.
				first, second = second, first
			default:
				t.Fatalf("the grants are %s", got)
			}
			changeStatus(t, w, live(first), func(r *v1alpha1.MachineRemediation) {
				r.Status.Phase, r.Status.CompletionTime = v1alpha1.RemediationEnded, new(metav1.NewTime(w.clock.Now()))
			})
			w.reconcile(t, mhc)
			if got := grants(); got != "1 1" {
				t.Errorf("once the first has ended, the grants are %s", got)
			}
		})
	}
}

// askedByAnnotation stores a healthy machine, and the record that its annotation asked for, which waits for a slot.
func (w *harness) askedByAnnotation(t *testing.T, name string) *v1alpha1.MachineRemediation {
	t.Helper()
	machine := w.healthy(t, name)
	asked := record.New(w.cluster, 1, v1alpha1.MachineRemediationSpec{
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
