package scenario

import (
	"context"
	"slices"
	"strings"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// twiceName is the name of the template for a RebootRemediation with two attempts.
const twiceName = "twice"

// failedScene is the end of an attempt that does not help, and secondScenes are the phases of the next one, which finds no Node.
var (
	failedScene  = scene{v1alpha1.Failed, "nothing on host %s has come up; it is left on before the next attempt"}
	secondScenes = slices.DeleteFunc(slices.Clone(scenes), func(s scene) bool {
		return s.phase == v1alpha1.Isolating || s.phase == v1alpha1.PoweringOn
	})
)

// upgradeBetween: the first power cycle of a host does not help, and before that is known its cluster begins to upgrade. The host stays on until the
// upgrade is over. Then it is cycled again, and the machine is back, with what people had put on its Node.
func upgradeBetween(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	machine := &machines[0]
	host := s.hostOf(machine)
	node, hosts := s.dressed(ctx, host)
	on := s.cycledInVain(ctx, machine)
	resumed := s.upgradesMeanwhile(ctx, machine, on)
	s.follow(ctx, machine, secondScenes, resumed)
	must(Restored(ctx, s.World.Client(), node))
	s.outcome.Ready = s.recovered(ctx, machine).Sub(resumed)
	s.endedAfter(ctx, machine, v1alpha1.ReasonRecovered, "reboot: Failed, reboot: Succeeded")
	s.untouched(machine)
	must(hosts.cycled(ctx, host, 2))
}

// cycledInVain makes a host hang, even in the boot of its first power cycle. It returns when the host was on again.
func (s *Stage) cycledInVain(ctx context.Context, machine *clusterv1.Machine) time.Time {
	broken := fault.HangHost{Host: s.hostOf(machine), Always: true}
	judged := s.sickens(ctx, machine, broken)
	made := s.cycleMade(ctx, machine)
	s.outcome = Outcome{
		Detected: s.since(judged), Remediated: s.since(made),
		Remark: "power-cycled in vain, left on during an upgrade, cycled again; the last time from the end of the upgrade",
	}
	on := s.follow(ctx, machine, scenes[:5], made)
	broken.Always = false
	mustDo(broken.Inject(ctx, s.World), "having the next boot succeed")
	s.say(Mended, time.Now(), "a technician mends host %s; what hangs there hangs until the next boot", broken.Host.Name)
	return on
}

// upgradesMeanwhile upgrades the cluster before the first attempt has failed, for longer than it would take until the second one begins. It returns
// when the upgrade is over.
func (s *Stage) upgradesMeanwhile(ctx context.Context, machine *clusterv1.Machine, on time.Time) time.Time {
	rollout := s.rollOut(ctx)
	s.pausedForUpgrade(ctx)
	failed := s.follow(ctx, machine, []scene{failedScene}, on)
	s.record(ctx, machine, "the pause", func(record *v1alpha1.MachineRemediation) bool {
		progress := journal.Progress(record)
		return progress.Reason == v1alpha1.ReasonPaused && strings.Contains(progress.Message, "Paused by Sickbay during an upgrade")
	})
	s.quiet(ctx, quietTime, machine)
	s.notCycled(machine, failed, time.Now(), nil)
	s.say(Refrains, time.Now(), "the second attempt has been due for %s: host %s stays on", time.Since(failed).Round(time.Second), machine.Status.NodeRef.Name)
	rollout.finish(ctx, s)
	end, resumed := s.resumed(ctx)
	s.notCycled(machine, failed, resumed, &end)
	return resumed
}

// notCycled checks that the power of the host did not change between two times, and that no other attempt began after the first of them.
// An attempt that is stored later than resumed, the end of the pause, may begin; resumed is nil before that.
func (s *Stage) notCycled(machine *clusterv1.Machine, after, before time.Time, resumed *journal.Entry) {
	begun, found := s.Journal.Find(func(e journal.Entry) bool {
		return journal.IsRequest(e, machine) && e.At.After(after) && (resumed == nil || e.Before(*resumed)) &&
			!e.Object.(*v1alpha1.RebootRemediation).Status.Phase.Ended()
	})
	if found {
		failf("RebootRemediation %s was in phase %s before the end of the upgrade", begun.Object.GetName(), begun.Object.(*v1alpha1.RebootRemediation).Status.Phase)
	}
	host := s.hostOf(machine)
	for _, change := range s.World.Host(host).History() {
		if change.At.After(after) && change.At.Before(before) {
			failf("the power of host %s changed before the end of the upgrade: %v", host, change)
		}
	}
}
