package remediation

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// view is an observation, as the input of a decision and of its act.
type view struct {
	how depth
	// at is when the observation began.
	at time.Time
	// reader reads from the caches or past them, by depth.
	reader  client.Reader
	nodes   workload.Nodes
	facts   ladder.Facts
	machine *clusterv1.Machine
	mhc     *clusterv1.MachineHealthCheck
	cluster *clusterv1.Cluster
	// node is the Node that was judged; nil if there was none.
	node *corev1.Node
	// made is the request that was made in this look; nil if none was.
	made *ladder.Request
	// deletedUnread reports that a request was deleted in this look although it cannot be read.
	deletedUnread bool
	// goneUnread reports that the deletion said that there is none any more.
	goneUnread bool
	// health is what the Machine says, before anybody judged it anew.
	health ladder.Health
	// safety is what keeps Sickbay from acting, apart from what only a judgement shows.
	safety ladder.Safety
}

// observe reads everything that the next step of a record depends on. It may update the record itself. Shown is what the caches
// showed, if they were read before.
func (r *Reconciler) observe(ctx context.Context, record *v1alpha1.MachineRemediation, how depth, shown *view) (*view, error) {
	v := &view{how: how, at: r.Clock.Now(), reader: r.Client, facts: ladder.Facts{Record: record}}
	if how == judged && !r.OpenShift {
		var err error
		if v.nodes, err = r.nodesAhead(ctx, shown); err != nil {
			return nil, fmt.Errorf("waiting to read the Nodes of %s: %w", clusterKey(record), err)
		}
	}
	if how > cached {
		v.reader = r.lookAhead(ctx, record, how, shown)
	}
	if how >= current {
		if err := refresh(ctx, v.reader, record); err != nil {
			return nil, err
		}
	}
	if ladder.Ended(record) {
		return v, nil
	}
	return v, r.look(ctx, v)
}

// look reads the Machine, the objects that it belongs to, and those that were made for it.
func (r *Reconciler) look(ctx context.Context, v *view) (err error) {
	record := v.facts.Record
	if v.machine, err = r.machineOf(ctx, v.reader, record); err != nil {
		return err
	}
	if err = r.requestFacts(ctx, v); err != nil {
		return err
	}
	if v.machine == nil {
		err = r.observeGone(ctx, v)
		v.safety = v.facts.Safety
		return err
	}
	if v.cluster, err = clusterOf(ctx, v.reader, record); err != nil {
		return err
	}
	if v.mhc, err = r.healthCheckOf(ctx, v); err != nil {
		return err
	}
	if err = r.machineFacts(ctx, v); err != nil {
		return err
	}
	if err = r.safety(ctx, v); err != nil {
		return err
	}
	v.safety = v.facts.Safety
	if v.how < judged {
		return nil
	}
	return r.judge(ctx, v)
}

// again returns the part of a view that is still valid in the next turn: live reads, but not the judgement, which may change at any
// time.
func (v *view) again() *view {
	if v == nil || v.how == cached {
		return nil
	}
	v.facts.Safety = v.safety
	if v.machine != nil {
		v.facts.Machine.Health, v.facts.Machine.Unconfirmed = v.health, false
	}
	return v
}

// refresh reads a record past the cache.
func refresh(ctx context.Context, reader client.Reader, record *v1alpha1.MachineRemediation) error {
	key, latest := client.ObjectKeyFromObject(record), &v1alpha1.MachineRemediation{}
	if err := reader.Get(ctx, key, latest); err != nil {
		return stale(fmt.Errorf("getting MachineRemediation %s: %w", key, err))
	}
	if latest.UID != record.UID {
		return fmt.Errorf("MachineRemediation %s is another one: %w", key, errStale)
	}
	*record = *latest
	return nil
}

// machineOf reads the Machine of a record; nil if it is gone. Those of OpenShift are always read past the cache: few have a record.
func (r *Reconciler) machineOf(ctx context.Context, reader client.Reader, record *v1alpha1.MachineRemediation) (*clusterv1.Machine, error) {
	if !r.OpenShift {
		return machineOf(ctx, reader, record)
	}
	machine, err := openshift.Find(ctx, r.Live, machineKey(record))
	if machine == nil || machine.UID != record.Spec.MachineRef.UID {
		return nil, err
	}
	return machine, nil
}

// ofOpenShift reports whether a record is about a Machine of OpenShift.
func ofOpenShift(record *v1alpha1.MachineRemediation) bool {
	return record.Spec.MachineRef.APIGroup == openshift.Kind.Group
}

// machineOf reads the Machine of Cluster API of a record; nil if it is gone.
func machineOf(ctx context.Context, reader client.Reader, record *v1alpha1.MachineRemediation) (*clusterv1.Machine, error) {
	machine, err := scaffold.Find(ctx, reader, machineKey(record), &clusterv1.Machine{})
	if machine == nil || machine.UID != record.Spec.MachineRef.UID {
		return nil, err
	}
	return machine, nil
}

// clusterOf reads the Cluster of a record; nil if it is gone, or there is none.
func clusterOf(ctx context.Context, reader client.Reader, record *v1alpha1.MachineRemediation) (*clusterv1.Cluster, error) {
	if ofOpenShift(record) {
		return nil, nil
	}
	return scaffold.Find(ctx, reader, clusterKey(record), &clusterv1.Cluster{})
}

func machineKey(record *v1alpha1.MachineRemediation) client.ObjectKey {
	return client.ObjectKey{Namespace: record.Namespace, Name: record.Spec.MachineRef.Name}
}

// depth says how far an observation goes past the caches.
type depth int

const (
	// cached reads from the caches.
	cached depth = iota
	// confirmed reads the Machine and what it depends on past the caches.
	confirmed
	// current also reads the record past the cache.
	current
	// judged also reads the Node past the cache, judges the Machine anew, and checks gate and budget.
	judged
)

// depthFor returns the depth needed to carry a decision out. An act on a machine needs everything, and a withdrawal needs the
// current record. A status must not rest on an old cache either, except for the record itself: status writes, and the end of a
// record, are bound to the version that was read.
func depthFor(decision ladder.Decision) depth {
	switch {
	case decision.Act.Begins():
		return judged
	case decision.Act == ladder.Close:
		return cached
	case decision.Act != ladder.None:
		return current
	case decision.Store:
		return confirmed
	}
	return cached
}
