package machinehealthcheck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recall"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// errClusterNotFound says that nothing can be decided for a MachineHealthCheck, because its Cluster does not exist.
var errClusterNotFound = errors.New("the Cluster does not exist")

// observe reads everything that a decision needs, from the cache.
func (r *Reconciler) observe(ctx context.Context, mhc *clusterv1.MachineHealthCheck) (admission.Facts, error) {
	key := client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.ClusterName}
	cluster := &clusterv1.Cluster{}
	if err := r.Client.Get(ctx, key, cluster); err != nil {
		if apierrors.IsNotFound(err) {
			err = errors.Join(errClusterNotFound, err)
		}
		return admission.Facts{}, fmt.Errorf("getting Cluster %s: %w", key, err)
	}
	f := admission.Facts{
		MachineHealthCheck: mhc, Cluster: cluster, SelectorProblem: r.Selectors.Problem(mhc),
		KindsMissing: r.RecordsInstalled != nil && !r.RecordsInstalled(),
	}
	if err := r.reader().add(ctx, &f); err != nil {
		return admission.Facts{}, err
	}
	if err := r.observeTemplate(ctx, &f); err != nil {
		return admission.Facts{}, err
	}
	if f.KindsMissing {
		return f, nil
	}
	all, err := record.OfCluster(ctx, r.Client, key)
	if err != nil {
		return admission.Facts{}, err
	}
	if err := r.reader().addRecords(ctx, &f, all); err != nil {
		return admission.Facts{}, err
	}
	r.observeFailures(&f)
	if err := r.observeAwaited(ctx, &f, all); err != nil {
		return admission.Facts{}, err
	}
	if err := r.observeStrays(ctx, &f); err != nil {
		return admission.Facts{}, err
	}
	if err := r.addUnseen(ctx, &f, all); err != nil {
		return admission.Facts{}, err
	}
	r.observeHosts(ctx, &f)
	return f, nil
}

// observeFailures adds the machines that could not be admitted.
func (r *Reconciler) observeFailures(f *admission.Facts) {
	failed := r.failures.Of(client.ObjectKeyFromObject(f.MachineHealthCheck), func(uid types.UID) bool {
		return slices.ContainsFunc(f.Targets, func(t admission.Target) bool { return t.Machine.UID == uid })
	})
	if len(failed) == 0 {
		return
	}
	f.Failures = map[types.UID]admission.Failure{}
	for uid, one := range failed {
		f.Failures[uid] = admission.Failure{Count: one.Count, RetryAt: one.RetryAt}
	}
}

// unseenFor is how long our write may be missing from the cache before we ask the API server: an object that is deleted before the
// cache has shown it never appears.
const unseenFor = 5 * time.Second

// addUnseen adds what we admitted and the cache does not show yet, as read from the API server.
func (r *Reconciler) addUnseen(ctx context.Context, f *admission.Facts, cached []*v1alpha1.MachineRemediation) error {
	newer := map[string]*v1alpha1.MachineRemediation{}
	for _, one := range r.admitted.Of(client.ObjectKeyFromObject(f.MachineHealthCheck), shownBy(cached)) {
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
func (r *Reconciler) unseen(ctx context.Context, f *admission.Facts, one recall.Expected) (*v1alpha1.MachineRemediation, error) {
	owner, now := client.ObjectKeyFromObject(f.MachineHealthCheck), r.Clock.Now()
	written := one.Object.(*v1alpha1.MachineRemediation)
	if now.Sub(one.Since) < unseenFor {
		return written, nil
	}
	current := &v1alpha1.MachineRemediation{}
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(written), current)
	if apierrors.IsNotFound(err) {
		r.admitted.Drop(owner, written)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting MachineRemediation %s: %w", client.ObjectKeyFromObject(written), err)
	}
	r.admitted.Expect(owner, current, now)
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
