package remediation

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// Seen is what a person can see of a record and its machine.
type Seen struct {
	Facts ladder.Facts
	// MachineUnread reports that the person may not read the Machine: the facts come from the record alone.
	MachineUnread bool
	// Unread names everything that the person may not read.
	Unread []string
}

// LookLive reads what the next step of an open record depends on, for a person: without a cache, and with that person's rights. The
// policy is the manager's. It judges no machine and asks no gate.
func LookLive(ctx context.Context, reader client.Reader, policy mhcspec.Policy, now clock.PassiveClock, record *v1alpha1.MachineRemediation) (Seen, error) {
	r := &Reader{Reader: slots.Reader{Live: reader, Clock: now, Selectors: &mhcspec.Selectors{}, Policy: policy}, OpenShift: ofOpenShift(record)}
	machine, err := r.machineOf(ctx, reader, record)
	if apierrors.IsForbidden(err) {
		return Seen{Facts: ladder.Alone(record), MachineUnread: true, Unread: []string{"Machine " + record.Spec.MachineRef.Name}}, nil
	}
	if err != nil {
		return Seen{}, err
	}
	facts := ladder.Facts{Record: record, Machine: ladder.Machine{Gone: machine == nil}}
	if facts.Request, err = lookForRequest(ctx, reader, record); err != nil || machine == nil {
		return Seen{Facts: facts}, err
	}
	v := &view{how: current, at: now.Now(), reader: reader, facts: facts, machine: machine}
	err = r.lookAround(ctx, v)
	if apierrors.IsForbidden(err) {
		v.facts.Safety = ladder.Safety{}
		return Seen{Facts: v.facts, Unread: []string{"the Cluster or the MachineHealthCheck of Machine " + machine.Name}}, nil
	}
	return Seen{Facts: v.facts}, err
}

// lookAround reads the objects that the Machine belongs to.
func (r *Reader) lookAround(ctx context.Context, v *view) (err error) {
	v.facts.Machine = onmachine.Machine(v.machine, v.facts.Record)
	_, v.facts.RemediateAsked = v.machine.Annotations[clusterv1.RemediateMachineAnnotation]
	if v.cluster, err = v.clusterOf(ctx); err != nil {
		return err
	}
	all, err := r.liveHealthChecks(ctx, v.machine)
	if err != nil {
		return err
	}
	r.take(v, all)
	v.facts.Machine.OtherFinding = v.otherFinding()
	return r.safety(ctx, v)
}

// lookForRequest reads the object that the latest attempt made. The person may not be allowed to read its kind.
func lookForRequest(ctx context.Context, reader client.Reader, record *v1alpha1.MachineRemediation) (*ladder.Request, error) {
	for _, wanted := range wantedRequests(record) {
		found, err := readRequest(ctx, reader, wanted)
		if scaffold.Answered(err) {
			return ladder.Alone(record).Request, nil
		}
		if found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// Look observes what the next step of a record depends on, as Reconcile does, but only from the caches. It leaves out what is read
// only before an act, such as the gate.
func (r *Reader) Look(ctx context.Context, record *v1alpha1.MachineRemediation) (ladder.Facts, error) {
	v, err := r.observe(ctx, record, cached, nil)
	if err != nil {
		return ladder.Facts{}, err
	}
	return v.facts, r.ruleFacts(ctx, v)
}
