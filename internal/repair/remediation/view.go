package remediation

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// Reader reads what the next step of a record depends on. It cannot write.
type Reader struct {
	// Reader reads machines and their records. For those of OpenShift, Observer and Selectors may be nil.
	slots.Reader
	// OpenShift has it read the records of OpenShift's Machines instead of those of Cluster API: somebody asked for them, so there is no
	// Cluster, MachineHealthCheck or gate of Sickbay's.
	OpenShift bool
	// Gatekeeper is asked before an act. It may be nil for a Reader that only looks.
	Gatekeeper Gatekeeper
	// Namespace is what the manager is restricted to; empty means all.
	Namespace string

	// Parallel is how many reads of one observation are made at once; 0 means all.
	Parallel int

	watches scaffold.Watches
	batches batches
	rules   rules.Cache
}

// Gatekeeper is the part of slots.Gatekeeper that is asked before an act. It says why the act may not be made; empty if it may.
type Gatekeeper interface {
	// GateClosed evaluates triggerIf. Its lower bound applies only to the first act of a record.
	GateClosed(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, first bool) (why string, err error)
	// Suspected asks whether the machine is sick only by conditions that too many Nodes show at once.
	Suspected(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, health verdict.Facts) (why string, err error)
	// OverBudget counts by the open records how many machines are in flight.
	OverBudget(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, plan *v1alpha1.MachineRemediationTemplate,
		open slots.OpenRecords) (why string, err error)
	// Paced says which repairs have to succeed before this machine's gets a slot.
	Paced(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, machine *clusterv1.Machine) (why string, err error)
}

// view is an observation, as the input of a decision and of its act.
type view struct {
	how depth
	// at is when the observation began.
	at time.Time
	// reader reads from the caches or past them, by depth.
	reader client.Reader
	// common is what was read in a batch, and nodeRead the Node that was read beside it; nil if nothing was.
	common   *common
	nodeRead *nodeRead
	facts    ladder.Facts
	machine  *clusterv1.Machine
	mhc      *clusterv1.MachineHealthCheck
	// checks are all MachineHealthChecks that judge the Machine, the oldest first.
	checks []*clusterv1.MachineHealthCheck
	// leadsUntil is when another of them may come to lead without an event; zero if none does.
	leadsUntil time.Time
	cluster    *clusterv1.Cluster
	// node is the Node that was judged; nil if there was none.
	node *corev1.Node
	// made is the request that was made in this look; nil if none was.
	made *ladder.Request
	// deletedUnread reports that a request was deleted in this look although it cannot be read.
	deletedUnread bool
	// goneUnread reports that the deletion said that there is none any more.
	goneUnread bool
	// limited reports that the number of repairs in flight is limited.
	limited bool
	// own is what the record's own MachineHealthCheck finds, of a Machine that several select; nil if nobody has judged that.
	own *healthcheck.Result
	// health is what the Machine says, before anybody judged it anew.
	health ladder.Health
	// safety is what keeps Sickbay from acting, apart from what only a judgement shows.
	safety ladder.Safety
}

// observe reads everything that the next step of a record depends on. It may update the record itself. Shown is what the caches
// showed, if they were read before.
func (r *Reader) observe(ctx context.Context, record *v1alpha1.MachineRemediation, how depth, shown *view) (*view, error) {
	v := &view{how: how, at: r.Clock.Now(), reader: r.Cache, facts: ladder.Facts{Record: record}}
	var err error
	switch {
	case how > cached:
		v.reader = r.Live
		err = r.readLive(ctx, v, shown)
	case !ladder.Ended(record):
		v.machine, err = r.machineOf(ctx, r.Cache, record)
	}
	if err != nil {
		return nil, err
	}
	if ladder.Ended(record) {
		return v, nil
	}
	return v, r.look(ctx, v)
}

// look reads the objects that the Machine belongs to, and those that were made for it.
func (r *Reader) look(ctx context.Context, v *view) (err error) {
	if err = r.requestFacts(ctx, v); err != nil {
		return err
	}
	if v.machine == nil {
		err = r.observeGone(ctx, v)
		v.safety = v.facts.Safety
		return err
	}
	if v.cluster, err = v.clusterOf(ctx); err != nil {
		return err
	}
	if err = r.healthChecksOf(ctx, v); err != nil {
		return err
	}
	if err = r.machineFacts(ctx, v); err != nil {
		return err
	}
	if err = r.safety(ctx, v); err != nil {
		return err
	}
	v.safety = v.facts.Safety
	if v.how < bound {
		return nil
	}
	return r.judge(ctx, v)
}

// again returns the part of a view that is still valid in the next turn: live reads, but not the judgement, which may change at any
// time. Nothing is if the successor is gone: the next one counts, and may have nothing more to say.
func (v *view) again() *view {
	if v == nil || v.how == cached || (v.facts.Successor != nil && v.facts.Successor.Gone) {
		return nil
	}
	v.how, v.facts.Safety = current, v.safety
	if v.machine != nil {
		v.facts.Machine.Health, v.facts.Machine.Unconfirmed = v.health, false
	}
	return v
}
