package remediation

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// view is what was read, for a decision and for what it leads to.
type view struct {
	how depth
	// at is when the look began.
	at time.Time
	// reader reads as far as how says.
	reader  client.Reader
	nodes   workload.Nodes
	facts   ladder.Facts
	machine *clusterv1.Machine
	mhc     *clusterv1.MachineHealthCheck
	cluster *clusterv1.Cluster
	// node is the Node that the judgement was about; nil if there was none.
	node *corev1.Node
	// safety is what keeps Sickbay from acting apart from what only a judgement shows.
	safety ladder.Safety
}

// observe reads everything that the next step of a record depends on. It may bring the record itself up to date. Shown is
// what the caches show, if they were looked at before.
func (r *Reconciler) observe(ctx context.Context, record *v1alpha1.MachineRemediation, how depth, shown *view) (*view, error) {
	v := &view{how: how, at: r.Clock.Now(), reader: r.Client, facts: ladder.Facts{Record: record}}
	if how > cached {
		v.reader = r.lookAhead(ctx, record, how, shown)
	}
	if how == judged {
		v.nodes = r.nodesAhead(ctx, shown)
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

// look reads the Machine, what it belongs to, and what was made for it.
func (r *Reconciler) look(ctx context.Context, v *view) (err error) {
	record := v.facts.Record
	if v.machine, err = machineOf(ctx, v.reader, record); err != nil {
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

// again is what of a view is good enough for the next turn: what was seen past the caches, but for the judgement, which is
// of the moment.
func (v *view) again() *view {
	if v == nil || v.how == cached {
		return nil
	}
	v.facts.Safety = v.safety
	if v.machine != nil {
		v.facts.Machine.Health, v.facts.Machine.Unconfirmed = storedHealth(v.machine), false
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

// machineOf reads the Machine of a record; nil if it is gone.
func machineOf(ctx context.Context, reader client.Reader, record *v1alpha1.MachineRemediation) (*clusterv1.Machine, error) {
	machine, key := &clusterv1.Machine{}, machineKey(record)
	err := reader.Get(ctx, key, machine)
	if apierrors.IsNotFound(err) || (err == nil && machine.UID != record.Spec.MachineRef.UID) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting machine %s: %w", key, err)
	}
	return machine, nil
}

// clusterOf reads the Cluster of a record; nil if it is gone.
func clusterOf(ctx context.Context, reader client.Reader, record *v1alpha1.MachineRemediation) (*clusterv1.Cluster, error) {
	cluster, key := &clusterv1.Cluster{}, clusterKey(record)
	err := reader.Get(ctx, key, cluster)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting Cluster %s: %w", key, err)
	}
	return cluster, nil
}

func machineKey(record *v1alpha1.MachineRemediation) client.ObjectKey {
	return client.ObjectKey{Namespace: record.Namespace, Name: record.Spec.MachineRef.Name}
}

// ownerOf is the controller of a Machine; nil if there is none.
func ownerOf(machine *clusterv1.Machine) *v1alpha1.RemediationObjectReference {
	owner := metav1.GetControllerOf(machine)
	if owner == nil {
		return nil
	}
	return &v1alpha1.RemediationObjectReference{APIVersion: owner.APIVersion, Kind: owner.Kind, Name: owner.Name, UID: owner.UID}
}

// depth says how far an observation goes.
type depth int

const (
	// cached reads from the caches.
	cached depth = iota
	// confirmed reads the Machine and what it depends on past them.
	confirmed
	// current reads the record past them, too.
	current
	// judged reads the Node past them, too, judges the Machine anew, and looks at gate and budget.
	judged
)

// depthFor is how far has to be read before a decision may be carried out. What does something to a machine needs all, and
// what takes something back the record as it is. What is stored must not rest on an old cache either, but for the record: a
// status is bound to the one that was read, and so is the end of a record.
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
