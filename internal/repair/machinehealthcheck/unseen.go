package machinehealthcheck

import (
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// unseenFor is how long our write may be missing from the cache before we ask the API server: an object that is deleted before the
// cache has shown it never appears.
const unseenFor = 5 * time.Second

// addUnseen adds what we admitted and the cache does not show yet: as we wrote it, and after a while as the API server has it.
func (r *Reader) addUnseen(ctx context.Context, f *admission.Facts, cached []*v1alpha1.MachineRemediation) error {
	now, newer := r.Clock.Now(), map[string]*v1alpha1.MachineRemediation{}
	var late []*v1alpha1.MachineRemediation
	for _, one := range r.memory.Unseen(client.ObjectKeyFromObject(f.MachineHealthCheck), shownBy(cached)) {
		written := one.Object.(*v1alpha1.MachineRemediation)
		if now.Before(one.Since) || now.Sub(one.Since) >= unseenFor {
			late = append(late, written)
			continue
		}
		newer[written.Name] = written
	}
	for batch := range slices.Chunk(late, batchSize) {
		if err := r.addLate(ctx, f, batch, newer); err != nil {
			return err
		}
	}
	replace(f, newer)
	return nil
}

// addLate adds to newer what the API server still has of some records, and forgets the others.
func (r *Reader) addLate(ctx context.Context, f *admission.Facts, late []*v1alpha1.MachineRemediation, newer map[string]*v1alpha1.MachineRemediation) error {
	machines := make([]types.UID, len(late))
	for i, written := range late {
		machines[i] = written.Spec.MachineRef.UID
	}
	all, err := recordstore.LiveOfMachines(ctx, r.Live, f.Cluster.Namespace, machines...)
	if err != nil {
		return err
	}
	owner, find := client.ObjectKeyFromObject(f.MachineHealthCheck), shownBy(all)
	for _, written := range late {
		current, ok := find(client.ObjectKeyFromObject(written)).(*v1alpha1.MachineRemediation)
		if !ok {
			r.memory.Drop(owner, written)
			continue
		}
		r.memory.ExpectFor(owner, current, r.Clock.Now())
		newer[current.Name] = current
	}
	return nil
}

// shownBy returns a record as it was read, from the cache for one, or nil.
func shownBy(read []*v1alpha1.MachineRemediation) func(client.ObjectKey) client.Object {
	var byName map[string]*v1alpha1.MachineRemediation
	return func(key client.ObjectKey) client.Object {
		if byName == nil {
			byName = make(map[string]*v1alpha1.MachineRemediation, len(read))
			for _, one := range read {
				byName[one.Name] = one
			}
		}
		if r, ok := byName[key.Name]; ok {
			return r
		}
		return nil
	}
}

// replace replaces cached records with newer ones.
func replace(f *admission.Facts, newer map[string]*v1alpha1.MachineRemediation) {
	if len(newer) == 0 {
		return
	}
	f.Unseen = true
	for _, all := range []*[]*v1alpha1.MachineRemediation{&f.Records, &f.History} {
		*all = slices.DeleteFunc(slices.Clone(*all), func(r *v1alpha1.MachineRemediation) bool { return newer[r.Name] != nil })
		for _, name := range slices.Sorted(maps.Keys(newer)) {
			*all = append(*all, newer[name])
		}
	}
}

// unseenWait returns how long to wait before looking again at admissions that the cache does not show yet: not long if somebody
// waits for that, else until the API server should be asked. It returns zero if the cache shows everything.
func (r *Reconciler) unseenWait(f admission.Facts, d admission.Decision) time.Duration {
	key := client.ObjectKeyFromObject(f.MachineHealthCheck)
	if f.Unseen && slices.ContainsFunc(d.Waiting, func(w admission.Waiting) bool { return w.Reason == admission.ReasonExpected }) {
		return r.memory.Conflict(key)
	}
	r.memory.NoConflict(key)
	if f.Unseen {
		return unseenFor
	}
	return 0
}
