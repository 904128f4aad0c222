package remediation

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// common is what a batch reads past the caches: what its records have in common, and the records themselves. What does not exist is nil.
type common struct {
	of      batchKey
	cluster *clusterv1.Cluster
	mhc     *clusterv1.MachineHealthCheck
	plan    *v1alpha1.MachineRemediationTemplate
	// open are all open records of the cluster, if the number of repairs in flight is limited.
	open    []*v1alpha1.MachineRemediation
	records map[types.UID]*v1alpha1.MachineRemediation
}

// readLive reads past the caches, side by side, what an observation needs, as far as the caches have shown what that is. It updates the
// record itself. Each thing that a mark rests on is read at most once:
//
//   - The Node is read for each machine: nothing that Sickbay writes can test it.
//   - The Cluster, the MachineHealthCheck, its plan and the record are read once for a batch.
//   - The open records that count against a limit are those of the list that reads the records of a batch.
//   - The Machine comes from the cache if the mark tests its version: the API server refuses the mark if anything on the Machine is not as it
//     was judged, be it the verdict, a pause, a hold, its owner or its deletion.
func (r *Reader) readLive(ctx context.Context, v, shown *view) error {
	record, machines := v.facts.Record, r.Live
	if v.how == bound {
		machines = r.Cache
	}
	var latest *v1alpha1.MachineRemediation
	reads := r.sideBySide()
	reads.Go(func() (err error) {
		v.common, latest, err = r.readCommon(ctx, v, shown)
		return err
	})
	reads.Go(func() (err error) {
		v.machine, err = r.machineOf(ctx, machines, record)
		return err
	})
	if v.nodeRead = r.nodeToRead(v, shown); v.nodeRead != nil {
		reads.Go(func() error {
			r.readNode(ctx, v.nodeRead)
			return nil
		})
	}
	if err := reads.Wait(); err != nil || latest == nil {
		return err
	}
	*record = *latest
	return nil
}

// sideBySide returns a group of reads, of which Parallel are made at once.
func (r *Reader) sideBySide() *errgroup.Group {
	reads := &errgroup.Group{}
	if r.Parallel > 0 {
		reads.SetLimit(r.Parallel)
	}
	return reads
}

// readCommon reads what the record of a view has in common with others, and the record itself if it has to be current; otherwise it returns
// nil. Without a MachineHealthCheck, a record has nothing in common with others.
func (r *Reader) readCommon(ctx context.Context, v, shown *view) (*common, *v1alpha1.MachineRemediation, error) {
	record := v.facts.Record
	if v.how < current {
		record = nil
	}
	if shown == nil || shown.mhc == nil {
		if record == nil {
			return nil, nil, nil
		}
		latest, err := liveRecord(ctx, r.Live, record)
		return nil, latest, err
	}
	of := batchKey{cluster: clusterKey(v.facts.Record), healthCheck: client.ObjectKeyFromObject(shown.mhc), limited: shown.limited && v.how >= bound}
	if mhcspec.NamesPlan(shown.mhc) {
		of.plan = mhcspec.PlanKey(shown.mhc)
	}
	found, err := r.batches.read(ctx, of, record, func(records []*v1alpha1.MachineRemediation) (common, error) {
		return r.readBatch(ctx, of, records)
	})
	if err != nil || record == nil {
		return &found, nil, err
	}
	if found.records[record.UID] == nil {
		return nil, nil, fmt.Errorf("MachineRemediation %s is gone: %w", client.ObjectKeyFromObject(record), errStale)
	}
	return &found, found.records[record.UID], nil
}

// readBatch reads what records have in common, and the records themselves.
func (r *Reader) readBatch(ctx context.Context, of batchKey, records []*v1alpha1.MachineRemediation) (common, error) {
	found, reads := common{of: of}, r.sideBySide()
	reads.Go(func() (err error) {
		found.cluster, err = scaffold.Find(ctx, r.Live, of.cluster, &clusterv1.Cluster{})
		return err
	})
	reads.Go(func() (err error) {
		found.mhc, err = scaffold.Find(ctx, r.Live, of.healthCheck, &clusterv1.MachineHealthCheck{})
		return err
	})
	if of.plan.Name != "" {
		reads.Go(func() (err error) {
			found.plan, err = mhcspec.Plan(ctx, r.Live, of.plan)
			return err
		})
	}
	reads.Go(func() error { return found.readRecords(ctx, r.Live, records) })
	err := reads.Wait()
	return found, err
}

// readRecords reads records: with one list of all that are open if their number is limited, otherwise several with one list, and one alone by its
// name.
func (c *common) readRecords(ctx context.Context, live client.Reader, wanted []*v1alpha1.MachineRemediation) (err error) {
	listed := []*v1alpha1.MachineRemediation(nil)
	switch {
	case c.of.limited && len(wanted) > 0:
		listed, err = recordstore.LiveOpenOfCluster(ctx, live, c.of.cluster)
		c.open = listed
	case len(wanted) > 1:
		listed, err = recordstore.LiveOpen(ctx, live, wanted)
	}
	if err != nil {
		return err
	}
	c.records = map[types.UID]*v1alpha1.MachineRemediation{}
	for _, one := range listed {
		c.records[one.UID] = one
	}
	for _, one := range wanted {
		if c.records[one.UID] != nil {
			continue
		}
		// It is alone or gone, or somebody has taken its labels away.
		latest, err := liveRecord(ctx, live, one)
		if err != nil && !errors.Is(err, errStale) {
			return err
		}
		c.records[one.UID] = latest
	}
	return nil
}

// openRecords returns the open records of the cluster, past the cache.
func (v *view) openRecords(ctx context.Context) ([]*v1alpha1.MachineRemediation, error) {
	if v.common != nil && v.common.of.limited {
		return v.common.open, nil
	}
	return recordstore.LiveOpenOfCluster(ctx, v.reader, clusterKey(v.facts.Record))
}

// liveRecord reads a record past the cache. One that is gone, or another one of its name, is errStale.
func liveRecord(ctx context.Context, live client.Reader, record *v1alpha1.MachineRemediation) (*v1alpha1.MachineRemediation, error) {
	key, latest := client.ObjectKeyFromObject(record), &v1alpha1.MachineRemediation{}
	if err := live.Get(ctx, key, latest); err != nil {
		return nil, stale(fmt.Errorf("getting MachineRemediation %s: %w", key, err))
	}
	if latest.UID != record.UID {
		return nil, fmt.Errorf("MachineRemediation %s is another one: %w", key, errStale)
	}
	return latest, nil
}
