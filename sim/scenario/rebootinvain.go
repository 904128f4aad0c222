package scenario

import (
	"context"
	"fmt"
	"slices"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// rebootInVain: a host hangs again in every boot. It is power-cycled once; because that does not help, a machine on
// another host replaces its machine.
func rebootInVain(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	machine := &machines[0]
	broken := fault.HangHost{Host: s.hostOf(machine), Always: true}
	judged := s.sickens(ctx, machine, broken)
	rebooted := s.rebooted(ctx, machine)
	s.record(ctx, machine, "the end of the reboot", failedAt(rebootName))
	s.event(ctx, machine, "RemediationAttemptFailed")
	s.markedFor(ctx, machine)
	// Once a machine is in deletion, it goes even if it recovers.
	deleted := s.seen(ctx, machine, "the deletion of", journal.Deleting)
	s.mends(ctx, broken, fmt.Sprintf("a technician mends host %s, for machines to come", broken.Host.Name))
	ready := s.replaced(ctx, machine, uids(machines))
	s.measure(nodeTimeout, judged, rebooted, ready, "power-cycled once, in vain, and then replaced")
	s.endedAfter(ctx, machine, v1alpha1.ReasonReplaced, "reboot: Failed, replace: Succeeded")
	s.cycledOnce(broken.Host, deleted.Object.GetDeletionTimestamp().Time)
}

func (s *Stage) hostOf(machine *clusterv1.Machine) client.ObjectKey {
	return client.ObjectKey{Namespace: s.Namespace, Name: machine.Status.NodeRef.Name}
}

// rebooted follows a machine through a power cycle until its host is on again, and returns when the cycle was requested.
func (s *Stage) rebooted(ctx context.Context, machine *clusterv1.Machine) time.Time {
	s.record(ctx, machine, "step "+rebootName, trying(rebootName))
	made := s.made(ctx, machine)
	s.say(Acted, made.At, "RebootRemediation %s is made for machine %s", made.Object.GetName(), machine.Name)
	on := s.request(ctx, machine, v1alpha1.WaitingForNode, made.At)
	s.tellPower(machine.Status.NodeRef.Name, made.At, on)
	return made.At
}

// cycledOnce checks that the operator cycled a host exactly once between the break and a later moment.
func (s *Stage) cycledOnce(host client.ObjectKey, until time.Time) {
	changes := slices.DeleteFunc(s.World.Host(host).History(), func(change baremetal.Change) bool {
		return !change.At.After(s.began) || !change.At.Before(until)
	})
	must(powered(host, changes, 1))
}
