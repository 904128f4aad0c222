package machinehealthcheck

import (
	"context"
	"maps"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
)

// create creates a record. Its name follows from the last record of its machine; where the cache shows one, live is asked, since that one may be gone:
// then numbering restarts, and another leader may have made an open record with a name that the cache has for an ended one. If the name is taken, the
// cache or live was behind.
func (r *Reconciler) create(ctx context.Context, f admission.Facts, spec v1alpha1.MachineRemediationSpec, live liveRecords) (*v1alpha1.MachineRemediation, error) {
	machine, last := spec.MachineRef.UID, (*v1alpha1.MachineRemediation)(nil)
	if lastOf(f.Records, machine) != nil {
		all, err := live()
		if err != nil {
			// The trouble of one request is not that of a hundred machines.
			all, err = recordstore.LiveOfMachines(ctx, r.Live, f.Cluster.Namespace, machine)
		}
		if err != nil {
			return nil, err
		}
		last = lastOf(all, machine)
	}
	written, err := r.createAfter(ctx, f, spec, last)
	if !apierrors.IsAlreadyExists(err) {
		return written, err
	}
	all, err := recordstore.LiveOfMachines(ctx, r.Live, f.Cluster.Namespace, machine)
	if err != nil {
		return nil, err
	}
	return r.createAfter(ctx, f, spec, lastOf(all, machine))
}

// createAfter creates the record that follows the last one that the API server has of its machine. An open one is as good as a new one: we created it
// just now, or another leader did. An ended one that the cache does not show is returned, and none is created: the step to begin with depends on it, so
// the machine is decided on again when the cache shows it.
func (r *Reconciler) createAfter(ctx context.Context, f admission.Facts, spec v1alpha1.MachineRemediationSpec, last *v1alpha1.MachineRemediation) (*v1alpha1.MachineRemediation, error) {
	if last != nil && (!ladder.Ended(last) || !shows(f.Records, last)) {
		return last, nil
	}
	written := newRecord(f, max(recordstore.Ordinal(last), recordstore.Ordinal(lastOf(f.Records, spec.MachineRef.UID)))+1, spec)
	return written, r.writes().create(ctx, written)
}

// shows reports whether the cache shows a record.
func shows(all []*v1alpha1.MachineRemediation, one *v1alpha1.MachineRemediation) bool {
	return slices.ContainsFunc(all, func(r *v1alpha1.MachineRemediation) bool { return r.UID == one.UID })
}

// liveRecords returns the records, past the cache, of those machines of a batch of which the cache shows a record.
type liveRecords func() ([]*v1alpha1.MachineRemediation, error)

// liveRecordsOf returns the records of a batch. They are read once, when the first of it is created.
func (r *Reader) liveRecordsOf(ctx context.Context, f admission.Facts, batch []admission.Admission) liveRecords {
	return sync.OnceValues(func() ([]*v1alpha1.MachineRemediation, error) {
		var machines []types.UID
		for _, one := range batch {
			if one.Record == nil && lastOf(f.Records, one.Machine.UID) != nil {
				machines = append(machines, one.Machine.UID)
			}
		}
		return recordstore.LiveOfMachines(ctx, r.Live, f.Cluster.Namespace, machines...)
	})
}

// newRecord also stores the location and, where it may be deleted, the owner of its machine: they are needed after the machine is gone.
func newRecord(f admission.Facts, ordinal int, spec v1alpha1.MachineRemediationSpec) *v1alpha1.MachineRemediation {
	created := recordstore.New(f.Cluster, ordinal, spec)
	recordstore.Filter(created, f.MachineHealthCheck)
	for i := range f.Targets {
		if f.Targets[i].Machine.UID == spec.MachineRef.UID {
			maps.Copy(created.Annotations, pacing.Annotations(f.Targets[i].Machine))
			maps.Copy(created.Annotations, onmachine.OwnerAnnotation(f.Targets[i].Machine, spec.Steps))
		}
	}
	return created
}

// lastOf returns the record of a machine with the highest ordinal; nil if it has none.
func lastOf(all []*v1alpha1.MachineRemediation, machine types.UID) *v1alpha1.MachineRemediation {
	var last *v1alpha1.MachineRemediation
	for _, one := range all {
		if one.Spec.MachineRef.UID == machine && (last == nil || recordstore.Ordinal(one) > recordstore.Ordinal(last)) {
			last = one
		}
	}
	return last
}
