package machinehealthcheck

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// Reader reads what a decision needs, and remembers what the caches do not show yet. It cannot write.
type Reader struct {
	slots.Reader
	// RecordsInstalled reports whether MachineRemediations can be read and written. Nil means that they can.
	RecordsInstalled func() bool
	// Namespace is what the manager is restricted to; empty means all.
	Namespace string
	// Parallel is how many machines are admitted at once; 0 means 16.
	Parallel int

	// memory is what is known of each MachineHealthCheck. Unseen are records that were created or granted a slot, failures machines that could
	// not be admitted.
	memory  controllerstate.Memory[remembered]
	rules   rules.Cache
	watches scaffold.Watches
	// readable are the kinds that the API server has let us list.
	readable sync.Map
}

// remembered is what is known of one MachineHealthCheck.
type remembered struct {
	snapshot *snapshot
	// ownerRefused is when the API server last refused to make it owned by its Cluster.
	ownerRefused time.Time
	// lookedFor are the requests without a record that were looked for and not found.
	lookedFor search
}

// errClusterNotFound says that nothing can be decided for a MachineHealthCheck, because its Cluster does not exist.
var errClusterNotFound = errors.New("the Cluster does not exist")

// observe reads everything that a decision needs, from the cache.
func (r *Reader) observe(ctx context.Context, mhc *clusterv1.MachineHealthCheck) (admission.Facts, error) {
	key := client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.ClusterName}
	cluster := &clusterv1.Cluster{}
	if err := r.Cache.Get(ctx, key, cluster); err != nil {
		if apierrors.IsNotFound(err) {
			err = errors.Join(errClusterNotFound, err)
		}
		return admission.Facts{}, fmt.Errorf("getting Cluster %s: %w", key, err)
	}
	f := admission.Facts{
		MachineHealthCheck: mhc, Cluster: cluster, SelectorProblem: r.Selectors.Problem(mhc),
		KindsMissing: r.RecordsInstalled != nil && !r.RecordsInstalled(),
	}
	if err := r.AddTargets(ctx, &f); err != nil {
		return admission.Facts{}, err
	}
	if err := r.Suspect(ctx, &f); err != nil {
		return admission.Facts{}, err
	}
	if err := r.observeTemplate(ctx, &f); err != nil {
		return admission.Facts{}, err
	}
	if f.KindsMissing {
		return f, nil
	}
	all, err := recordstore.OfCluster(ctx, r.Cache, key)
	if err != nil {
		return admission.Facts{}, err
	}
	if err := r.observeRepairs(ctx, &f, all); err != nil {
		return admission.Facts{}, err
	}
	return f, r.observeHosts(ctx, &f)
}

// observeRepairs adds what is known of repairs: the records of the cluster, and what was asked for without one.
func (r *Reader) observeRepairs(ctx context.Context, f *admission.Facts, all []*v1alpha1.MachineRemediation) error {
	if err := r.AddRecords(ctx, f, all); err != nil {
		return err
	}
	r.observeFailures(f)
	if err := r.observeAwaited(ctx, f, all); err != nil {
		return err
	}
	if err := r.observeStrays(ctx, f); err != nil {
		return err
	}
	if err := r.addUnseen(ctx, f, all); err != nil {
		return err
	}
	return r.AddLeads(ctx, f)
}
