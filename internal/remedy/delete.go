package remedy

import (
	"context"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// deleteTries is how often DeleteMachine reads a Machine that others write to all the time.
const deleteTries = 10

// DeleteMachine deletes a Machine that no controller owns, or one whose owner replaces each machine that is deleted. A deletion cannot be taken back.
// So each try reads the Machine anew and deletes only the version that it has read, if the Machine is still sick and nobody has stopped, adopted or
// relabeled it since it was judged.
func DeleteMachine(ctx context.Context, c client.Client, live client.Reader, judged *clusterv1.Machine) error {
	key := client.ObjectKeyFromObject(judged)
	for range deleteTries {
		machine := &clusterv1.Machine{}
		if err := live.Get(ctx, key, machine); err != nil {
			return patched(judged, "deleting", err)
		}
		if err := stillToDelete(judged, machine); err != nil || !machine.DeletionTimestamp.IsZero() {
			return patched(judged, "deleting", err)
		}
		err := c.Delete(ctx, machine, client.Preconditions{UID: &machine.UID, ResourceVersion: &machine.ResourceVersion})
		if !apierrors.IsConflict(err) {
			return patched(judged, "deleting", err)
		}
	}
	return fmt.Errorf("deleting machine %s: %w: somebody has written to it %d times in a row", key, ErrChanged, deleteTries)
}

// stillToDelete returns ErrChanged, with what has changed, unless the facts behind the deletion are as they were judged.
func stillToDelete(judged, machine *clusterv1.Machine) error {
	verdict := index(machine, clusterv1.MachineHealthCheckSucceededCondition)
	switch {
	case machine.UID != judged.UID:
		return fmt.Errorf("%w: it is another one", ErrChanged)
	case ownerOf(machine) != ownerOf(judged):
		return fmt.Errorf("%w: another controller owns it", ErrChanged)
	case verdict < 0 || machine.Status.Conditions[verdict].Status != metav1.ConditionFalse:
		return fmt.Errorf("%w: it is not unhealthy any more", ErrChanged)
	case !maps.Equal(machine.Labels, judged.Labels):
		return fmt.Errorf("%w: its labels have changed", ErrChanged)
	case machine.Status.NodeRef != judged.Status.NodeRef:
		return fmt.Errorf("%w: it has another Node", ErrChanged)
	}
	for _, key := range []string{
		clusterv1.PausedAnnotation, clusterv1.MachineSkipRemediationAnnotation, mhcspec.HoldUntilAnnotation,
		rebootannotation.Request, rebootannotation.Request + "/" + string(v1alpha1.StepPowerOff), rebootannotation.Request + "/" + string(v1alpha1.StepDelete),
	} {
		value, has := machine.Annotations[key]
		if before, had := judged.Annotations[key]; has != had || value != before {
			return fmt.Errorf("%w: annotation %s", ErrChanged, key)
		}
	}
	return nil
}

// ownerOf returns the UID of the controller that owns a Machine; empty if none does.
func ownerOf(machine *clusterv1.Machine) types.UID {
	if owner := metav1.GetControllerOfNoCopy(machine); owner != nil {
		return owner.UID
	}
	return ""
}
