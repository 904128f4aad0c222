package scenario

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// rebootInVain: a host hangs again in every boot. It is power-cycled once; because that does not help, a machine on
// another host replaces its machine.
func rebootInVain(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	machine := &machines[0]
	broken := fault.HangHost{Host: s.hostOf(machine), Always: true}
	if err := s.breaks(ctx, broken); err != nil {
		return Outcome{}, err
	}
	judged, err := s.judged(ctx, machine, metav1.ConditionFalse, "ReadyUnhealthy", true)
	if err != nil {
		return Outcome{}, err
	}
	rebooted, err := s.rebooted(ctx, machine)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.rebootFailed(ctx, machine); err != nil {
		return Outcome{}, err
	}
	if _, err := s.markedFor(ctx, machine); err != nil {
		return Outcome{}, err
	}
	// Once a machine is in deletion, it goes even if it recovers.
	deleted, err := s.Journal.Machine(ctx, machine.UID, "the deletion of machine "+machine.Name, journal.Deleting)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.mends(ctx, broken, fmt.Sprintf("a technician mends host %s, for machines to come", broken.Host.Name)); err != nil {
		return Outcome{}, err
	}
	ready, err := s.replaced(ctx, machine, uids(machines))
	if err != nil {
		return Outcome{}, err
	}
	detected := s.since(judged)
	outcome := Outcome{
		Detected: detected, Late: max(0, detected-nodeTimeout), Remediated: s.since(rebooted), Ready: s.since(ready),
		Remark: "power-cycled once, in vain, and then replaced",
	}
	record, err := s.ended(ctx, machine, v1alpha1.ReasonReplaced)
	if err != nil {
		return outcome, err
	}
	if got := attempts(record); got != "reboot: Failed, replace: Succeeded" {
		return outcome, fmt.Errorf("MachineRemediation %s has tried something else: %s", record.Name, got)
	}
	return outcome, s.cycledOnce(broken.Host, deleted.Object.GetDeletionTimestamp().Time)
}

func (s *Stage) hostOf(machine *clusterv1.Machine) client.ObjectKey {
	return client.ObjectKey{Namespace: s.Namespace, Name: machine.Status.NodeRef.Name}
}

// rebooted follows a machine through a power cycle until its host is on again, and returns when the cycle was requested.
func (s *Stage) rebooted(ctx context.Context, machine *clusterv1.Machine) (time.Time, error) {
	if _, _, err := s.record(ctx, machine, "step "+rebootName, trying(rebootName)); err != nil {
		return time.Time{}, err
	}
	made, err := s.made(ctx, machine)
	if err != nil {
		return time.Time{}, err
	}
	s.say(Acted, made, "a RebootRemediation is made for machine %s", machine.Name)
	on, err := s.request(ctx, machine, v1alpha1.WaitingForNode, made)
	if err != nil {
		return time.Time{}, err
	}
	s.tellPower(machine.Status.NodeRef.Name, made, on)
	return made, nil
}

// rebootFailed waits until a record and an event say that the reboot of a machine did not help.
func (s *Stage) rebootFailed(ctx context.Context, machine *clusterv1.Machine) error {
	if _, _, err := s.record(ctx, machine, "the end of the reboot", failedAt(rebootName)); err != nil {
		return err
	}
	return s.event(ctx, machine, "RemediationAttemptFailed")
}

// cycledOnce returns an error unless the operator cycled a host exactly once before a moment.
func (s *Stage) cycledOnce(host client.ObjectKey, until time.Time) error {
	var changes []baremetal.Change
	for _, change := range s.World.Host(host).History() {
		if change.At.After(s.began) && change.At.Before(until) {
			changes = append(changes, change)
		}
	}
	for i, change := range changes {
		if change.Running != (i%2 == 1) || change.Why != baremetal.ByOrder {
			return fmt.Errorf("the power of host %s changed otherwise than off and on by order: %v", host, changes)
		}
	}
	if len(changes) != 2 {
		return fmt.Errorf("host %s was not power-cycled once: %v", host, changes)
	}
	return nil
}
