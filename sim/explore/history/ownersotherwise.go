package history

import (
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

const (
	// Crossing is how long an owner may still go by a mark that was withdrawn.
	Crossing = time.Minute
	// ownerBusy is how long an owner with an internal error leaves a machine alone.
	ownerBusy = 2 * time.Hour
)

// ownersActOtherwise returns what owners can do besides replacing what is marked: they answer and do not act, are paused, and go by a mark
// that is gone.
func (w *World) ownersActOtherwise() []option {
	options := []option{{fmt.Sprintf("paused of the owner is %t", !w.ownerPaused), func() { w.pauseOwner(!w.ownerPaused) }}}
	for _, m := range Every[*clusterv1.Machine](w, kinds.Machine) {
		if metav1.GetControllerOfNoCopy(m) == nil || !m.DeletionTimestamp.IsZero() {
			continue
		}
		options = append(options, w.answersOtherwise(m)...)
	}
	return options
}

// pauseOwner pauses the owner of the machines, or ends that. Of a MachinePool everybody can see it.
func (w *World) pauseOwner(paused bool) {
	if w.ownerPaused == paused {
		return
	}
	w.ownerPaused = paused
	if w.Spec.Owner == worlds.OwnerPool {
		update(w, kinds.MachinePool, "pool", false, func(pool *clusterv1.MachinePool) {
			delete(pool.Annotations, clusterv1.PausedAnnotation)
			if paused {
				metav1.SetMetaDataAnnotation(&pool.ObjectMeta, clusterv1.PausedAnnotation, "")
			}
		})
	}
}

func (w *World) answersOtherwise(m *clusterv1.Machine) []option {
	name := m.Name
	says := func(reason string, busy time.Duration) option {
		return option{fmt.Sprintf("the owner says %s of %s", reason, name), func() { w.ownerSays(name, reason, busy) }}
	}
	if Said(m, clusterv1.MachineOwnerRemediatedCondition)[0] == "False" {
		return []option{
			says(clusterv1.InternalErrorReason, ownerBusy), says(clusterv1.MachineSetMachineRemediationDeferredReason, Deferred),
			says(clusterv1.MachineSetMachineCannotBeRemediatedReason, 0), says(clusterv1.MachineSetMachineRemediationMachineDeletingReason, 2*Crossing),
		}
	}
	if at, ok := w.unmarked[name]; !ok || w.clock.now.Sub(at) > Crossing {
		return nil
	}
	return []option{
		{"the owner of " + name + " does not know that its mark is gone, and deletes it", func() { w.remove(m) }},
		{"the owner of " + name + " does not know that its mark is gone, marks it as deleting, and deletes it", func() {
			w.ownerSays(name, clusterv1.MachineSetMachineRemediationMachineDeletingReason, 0)
			w.remove(Latest[*clusterv1.Machine](w, kinds.Machine, name))
		}},
		says(clusterv1.MachineSetMachineRemediationDeferredReason, Deferred),
	}
}

// ownerSays makes an owner write its answer into the mark, and leave the machine alone for a while.
func (w *World) ownerSays(name, reason string, busy time.Duration) {
	w.busy[name] = w.clock.now.Add(busy)
	update(w, kinds.Machine, name, true, func(m *clusterv1.Machine) {
		meta.RemoveStatusCondition(&m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
		m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{
			Type: clusterv1.MachineOwnerRemediatedCondition, Status: metav1.ConditionFalse, Reason: reason, Message: "The owner says " + reason,
			LastTransitionTime: metav1.NewTime(w.clock.now),
		})
	})
}

// noteMark records when a mark was withdrawn by which an owner could have gone.
func (w *World) noteMark(change apimodel.Change) {
	before, after := apimodel.As[*clusterv1.Machine](change.Before), apimodel.As[*clusterv1.Machine](change.After)
	if w.Writer == nil || before == nil || after == nil || !w.Spec.Has(worlds.Owners) {
		return
	}
	marked := func(m *clusterv1.Machine) bool {
		return Said(m, clusterv1.MachineOwnerRemediatedCondition)[0] == "False"
	}
	if marked(before) && !marked(after) && Said(before, clusterv1.MachineHealthCheckSucceededCondition)[0] == "False" {
		w.unmarked[after.Name] = w.clock.now
	}
}

// forbid takes away the right to read requests, or gives it back.
func (w *World) forbid() []option {
	return []option{{fmt.Sprintf("requests can be read: %t", w.forbidden), func() { w.forbids(!w.forbidden) }}}
}

// readsAgain is how soon a manager tries to read again what it may not. No event says that it may.
const readsAgain = 30 * time.Second

// forbids takes the right away or gives it back.
func (w *World) forbids(forbidden bool) {
	if w.forbidden && !forbidden {
		w.Unsteady = healthcheck.Latest(w.Unsteady, w.clock.now.Add(readsAgain))
	}
	w.forbidden = forbidden
}

// Forbidden reports whether requests cannot be read.
func (w *World) Forbidden() bool { return w.forbidden }

// mayRead returns an error if nobody may read the object of a call.
func (w *World) mayRead(call apimodel.Call) error {
	if !w.forbidden || call.Kind != kinds.Request {
		return nil
	}
	return noRight(call)
}

func noRight(call apimodel.Call) error {
	return apierrors.NewForbidden(schema.GroupResource{Group: call.Kind.Group, Resource: call.Kind.Kind}, call.Key.Name, errors.New("no right to read it"))
}
