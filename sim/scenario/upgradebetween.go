package scenario

import (
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// twiceName is the name of the template for a RebootRemediation with two attempts.
const twiceName = "twice"

// firstScenes are the phases of an attempt that does not help, and secondScenes those of the next one, which finds no Node.
var (
	firstScenes = append(slices.Clone(scenes[:5]),
		scene{v1alpha1.CoolingDown, "nothing on host %s has come up; it is left on before the next attempt"})
	secondScenes = slices.DeleteFunc(slices.Clone(scenes), func(s scene) bool {
		return s.phase == v1alpha1.Isolating || s.phase == v1alpha1.PoweringOn
	})
)

// upgradeBetween: the first power cycle of a host does not help, and before the second one its cluster begins to upgrade. The host
// stays on until the upgrade is over. Then it is cycled again, and the machine is back.
func upgradeBetween(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	machine := &machines[0]
	host := s.hostOf(machine)
	node, hosts := s.dressed(ctx, host)
	cooling := s.cycledInVain(ctx, machine)
	resumed := s.upgradesMeanwhile(ctx, machine, cooling)
	s.follow(ctx, machine, secondScenes, resumed)
	must(Restored(ctx, s.World.Client(), node))
	s.outcome.Ready = s.recovered(ctx, machine).Sub(resumed)
	s.ended(ctx, machine, v1alpha1.ReasonRecovered)
	s.untouched(machine)
	must(hosts.cycled(ctx, host, 2))
}

// cycledInVain makes a host hang, even in the boot of its first power cycle. It returns when that attempt failed.
func (s *Stage) cycledInVain(ctx context.Context, machine *clusterv1.Machine) time.Time {
	broken := fault.HangHost{Host: s.hostOf(machine), Always: true}
	judged := s.sickens(ctx, machine, broken)
	made := s.cycleMade(ctx, machine)
	s.outcome = Outcome{
		Detected: s.since(judged), Remediated: s.since(made),
		Remark: "power-cycled in vain, left on during an upgrade, cycled again; the last time from the end of the upgrade",
	}
	cooling := s.follow(ctx, machine, firstScenes, made)
	broken.Always = false
	mustDo(broken.Inject(ctx, s.World), "having the next boot succeed")
	s.say(Mended, time.Now(), "a technician mends host %s; what hangs there hangs until the next boot", broken.Host.Name)
	return cooling
}

// upgradesMeanwhile upgrades the cluster before the second attempt, for longer than the pause between two attempts. It returns when
// the upgrade is over.
func (s *Stage) upgradesMeanwhile(ctx context.Context, machine *clusterv1.Machine, cooling time.Time) time.Time {
	rollout := s.rollOut(ctx)
	s.pausedForUpgrade(ctx)
	due := s.toldOfUpgrade(ctx, machine, cooling)
	s.quiet(ctx, time.Until(due)+quietTime, machine)
	s.notCycled(machine, cooling, time.Now(), nil)
	s.say(Refrains, time.Now(), "the second attempt has been due for %s: host %s stays on", time.Since(due).Round(time.Second), machine.Status.NodeRef.Name)
	rollout.finish(ctx, s)
	end, resumed := s.resumed(ctx)
	s.notCycled(machine, cooling, resumed, &end)
	return resumed
}

// toldOfUpgrade waits until the record of a machine and its RebootRemediation say that they wait for the upgrade. It returns when the
// second attempt would otherwise be due.
func (s *Stage) toldOfUpgrade(ctx context.Context, machine *clusterv1.Machine, cooling time.Time) time.Time {
	const upgrade = "Paused by Sickbay during an upgrade"
	s.record(ctx, machine, "the pause", func(record *v1alpha1.MachineRemediation) bool {
		progress := journal.Progress(record)
		return progress.Reason == v1alpha1.ReasonPaused && strings.Contains(progress.Message, upgrade)
	})
	var condition *metav1.Condition
	request, at := s.requestThat(ctx, machine, "the pause", cooling, func(r *v1alpha1.RebootRemediation) bool {
		condition = meta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionSucceeded)
		return condition != nil && condition.Reason == v1alpha1.ReasonUnderPause && strings.Contains(condition.Message, upgrade)
	})
	s.say(Refrains, at, "RebootRemediation %s: %s after attempt %d, %s%s", request.Name, request.Status.Phase, request.Status.Attempt, condition.Reason, quoted(condition.Message))
	if request.Status.NextAttemptAt == nil {
		failf("RebootRemediation %s does not say when the next attempt is due", request.Name)
	}
	return request.Status.NextAttemptAt.Time
}

// notCycled checks that the power of the host did not change between two times, and that no other attempt began after the first of them.
// An attempt that is stored later than resumed, the end of the pause, may begin; resumed is nil before that.
func (s *Stage) notCycled(machine *clusterv1.Machine, after, before time.Time, resumed *journal.Entry) {
	begun, found := s.Journal.Find(func(e journal.Entry) bool {
		return journal.IsRequest(e, machine) && e.At.After(after) && (resumed == nil || e.Before(*resumed)) &&
			e.Object.(*v1alpha1.RebootRemediation).Status.Phase != v1alpha1.CoolingDown
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
