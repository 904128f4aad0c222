package reboot

import (
	"context"
	"slices"

	"k8s.io/utils/keymutex"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
)

// notStored says why to wait for the MachineRemediation that made a RebootRemediation to store it; empty if it has.
//
// A MachineRemediation stores only one UID per attempt, and makes the RebootRemediation again until it has stored one. So only one
// per attempt is ever carried out; if somebody deletes an unstored one, nothing has been done for it.
func (r reader) notStored(ctx context.Context, v *observed) string {
	all, err := recordstore.LiveOfMachines(ctx, r.live, v.request.Namespace, v.machine.object.GetUID())
	v.note(readRecord, err)
	if err != nil {
		return "Sickbay cannot read whether a MachineRemediation has stored this RebootRemediation"
	}
	if slices.ContainsFunc(all, func(one *v1alpha1.MachineRemediation) bool { return stores(one, v.request) }) {
		return ""
	}
	return "Waiting until a MachineRemediation has stored this RebootRemediation"
}

// stores reports whether a record has stored a RebootRemediation for its current attempt.
func stores(one *v1alpha1.MachineRemediation, request *v1alpha1.RebootRemediation) bool {
	return slices.ContainsFunc(one.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool {
		return a.EndTime == nil && a.ObjectRef != nil && a.ObjectRef.UID == request.UID
	})
}

// reserve checks again, past the cache, whether another RebootRemediation cycles this machine or another one of its control plane. Nobody
// else can check until release is called, so two cycles never begin at once. The other facts stay as they were read.
func (r *Reconciler) reserve(ctx context.Context, v *observed) (release func(), err error) {
	key := v.request.Namespace + "/machine/" + v.request.Spec.Machine.Name
	if v.plane != nil {
		key = v.machine.plane().String()
	}
	r.beginning.Do(func() { r.locks = keymutex.NewHashed(64) })
	r.locks.LockKey(key)
	release = func() { _ = r.locks.UnlockKey(key) } // it never fails
	if err := r.reads().lookAgain(ctx, v); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// lookAgain reads the other RebootRemediations of the Machine, and of its control plane, past the cache.
func (r reader) lookAgain(ctx context.Context, v *observed) (err error) {
	if v.facts.Siblings, err = r.siblings(ctx, v.request); err != nil || v.plane == nil {
		return err
	}
	cycles, err := cyclesIn(ctx, r.live, v.request.Namespace)
	if err != nil {
		return err
	}
	v.plane.Cycles = r.inCycle(ctx, cycles, v.request, v.machine)
	v.facts.Throttled = quorum.Waits(*v.plane)
	return nil
}
