package machinehealthcheck

import (
	"context"
	"maps"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// unseenFor is how long our write may be missing from the cache before we ask the API server: an object that is deleted before the
// cache has shown it never appears.
const unseenFor = 5 * time.Second

// addUnseen adds what we admitted and the cache does not show yet, as read from the API server.
func (r *Reader) addUnseen(ctx context.Context, f *admission.Facts, cached []*v1alpha1.MachineRemediation) error {
	newer := map[string]*v1alpha1.MachineRemediation{}
	for _, one := range r.memory.Unseen(client.ObjectKeyFromObject(f.MachineHealthCheck), shownBy(cached)) {
		current, err := r.unseen(ctx, f, one)
		if err != nil {
			return err
		}
		if current != nil {
			newer[current.Name] = current
		}
	}
	replace(f, newer)
	return nil
}

// unseen returns a record that the cache does not show yet; nil if it is gone.
func (r *Reader) unseen(ctx context.Context, f *admission.Facts, one controllerstate.Expected) (*v1alpha1.MachineRemediation, error) {
	owner, now := client.ObjectKeyFromObject(f.MachineHealthCheck), r.Clock.Now()
	written := one.Object.(*v1alpha1.MachineRemediation)
	if !now.Before(one.Since) && now.Sub(one.Since) < unseenFor {
		return written, nil
	}
	current, err := scaffold.Find(ctx, r.Live, client.ObjectKeyFromObject(written), &v1alpha1.MachineRemediation{})
	switch {
	case err != nil:
		return nil, err
	case current == nil:
		r.memory.Drop(owner, written)
	default:
		r.memory.ExpectFor(owner, current, now)
	}
	return current, nil
}

// shownBy returns a record as the cache shows it, or nil.
func shownBy(cached []*v1alpha1.MachineRemediation) func(client.ObjectKey) client.Object {
	var byName map[string]*v1alpha1.MachineRemediation
	return func(key client.ObjectKey) client.Object {
		if byName == nil {
			byName = make(map[string]*v1alpha1.MachineRemediation, len(cached))
			for i := range cached {
				byName[cached[i].Name] = cached[i]
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
