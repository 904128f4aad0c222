package machinehealthcheck

import (
	"context"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// create creates a record. It derives the name from the records in the cache, as long as the last of them still exists; if the name
// is taken, it asks the API server for the last one. An open record is as good as a new one: we created it just now, or another
// leader did. An ended record that the cache does not show is returned, and none is created: the step to begin with depends on it,
// so the machine is decided on again when the cache shows it.
func (r *Reconciler) create(ctx context.Context, f admission.Facts, spec v1alpha1.MachineRemediationSpec) (*v1alpha1.MachineRemediation, error) {
	last := lastOf(f.Records, spec.MachineRef.UID)
	exists, err := r.stillExists(ctx, last)
	if err != nil {
		return nil, err
	}
	ordinal := 1
	if last != nil {
		ordinal = recordstore.Ordinal(last) + 1
	}
	if exists {
		written := newRecord(f, ordinal, spec)
		if err = r.writes().create(ctx, written); !apierrors.IsAlreadyExists(err) {
			return written, creating(written, err)
		}
	}
	if last, err = r.last(ctx, f, spec.MachineRef.UID); err != nil {
		return nil, err
	}
	if last != nil && (!ladder.Ended(last) || !shows(f.Records, last)) {
		return last, nil
	}
	if last != nil {
		ordinal = max(ordinal, recordstore.Ordinal(last)+1)
	}
	written := newRecord(f, ordinal, spec)
	return written, creating(written, r.writes().create(ctx, written))
}

func creating(r *v1alpha1.MachineRemediation, err error) error {
	if err != nil {
		return fmt.Errorf("creating MachineRemediation %s: %w", r.Name, err)
	}
	return nil
}

// shows reports whether the cache shows a record.
func shows(all []*v1alpha1.MachineRemediation, one *v1alpha1.MachineRemediation) bool {
	return slices.ContainsFunc(all, func(r *v1alpha1.MachineRemediation) bool { return r.UID == one.UID })
}

// stillExists reports whether a cached record still exists. If somebody deleted it, numbering restarts: another leader may have made an
// open record with a name that the cache has for this one.
func (r *Reader) stillExists(ctx context.Context, shown *v1alpha1.MachineRemediation) (bool, error) {
	if shown == nil {
		return true, nil
	}
	live, err := scaffold.Find(ctx, r.Live, client.ObjectKeyFromObject(shown), &v1alpha1.MachineRemediation{})
	return live != nil && live.UID == shown.UID, err
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

// last returns the record of a machine with the highest ordinal, past the cache; nil if there is none.
func (r *Reader) last(ctx context.Context, f admission.Facts, machine types.UID) (*v1alpha1.MachineRemediation, error) {
	all, err := recordstore.LiveOfMachine(ctx, r.Live, f.Cluster.Namespace, machine)
	if err != nil {
		return nil, err
	}
	return lastOf(all, machine), nil
}
