package scenario

import (
	"context"
	"fmt"
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

// twice returns a template that gives a Node little time to come back, so that the first attempt fails soon.
func twice() *v1alpha1.RebootRemediationTemplate {
	template := rebootTemplate(twiceName)
	template.Spec.Template.Spec.NodeTimeoutSeconds = seconds(comeBack)
	return template
}

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
func upgradeBetween(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	machine := &machines[0]
	host := s.hostOf(machine)
	node, hosts, err := s.dressed(ctx, host)
	if err != nil {
		return Outcome{}, err
	}
	outcome, cooling, err := s.cycledInVain(ctx, machine)
	if err != nil {
		return outcome, err
	}
	resumed, err := s.upgradesMeanwhile(ctx, machine, cooling)
	if err != nil {
		return outcome, err
	}
	if _, err := s.follow(ctx, machine, secondScenes, resumed); err != nil {
		return outcome, err
	}
	if err := Restored(ctx, s.World.Client(), node); err != nil {
		return outcome, err
	}
	ready, err := s.recovered(ctx, machine)
	if err != nil {
		return outcome, err
	}
	outcome.Ready = ready.Sub(resumed)
	if _, err := s.ended(ctx, machine, v1alpha1.ReasonRecovered); err != nil {
		return outcome, err
	}
	if err := s.untouched(machine); err != nil {
		return outcome, err
	}
	return outcome, hosts.cycled(ctx, host, 2)
}

// cycledInVain makes a host hang, even in the boot of its first power cycle. It returns when that attempt failed.
func (s *Stage) cycledInVain(ctx context.Context, machine *clusterv1.Machine) (Outcome, time.Time, error) {
	broken := fault.HangHost{Host: s.hostOf(machine), Always: true}
	if err := s.breaks(ctx, broken); err != nil {
		return Outcome{}, time.Time{}, err
	}
	judged, err := s.judged(ctx, machine, metav1.ConditionFalse, "ReadyUnhealthy", true)
	if err != nil {
		return Outcome{}, time.Time{}, err
	}
	made, err := s.cycleMade(ctx, machine)
	if err != nil {
		return Outcome{}, time.Time{}, err
	}
	outcome := Outcome{
		Detected: s.since(judged), Remediated: s.since(made),
		Remark: "power-cycled in vain, left on during an upgrade, cycled again; the last time from the end of the upgrade",
	}
	cooling, err := s.follow(ctx, machine, firstScenes, made)
	if err != nil {
		return outcome, time.Time{}, err
	}
	broken.Always = false
	if err := broken.Inject(ctx, s.World); err != nil {
		return outcome, time.Time{}, fmt.Errorf("having the next boot succeed: %w", err)
	}
	s.say(Mended, time.Now(), "a technician mends host %s; what hangs there hangs until the next boot", broken.Host.Name)
	return outcome, cooling, nil
}

// upgradesMeanwhile upgrades the cluster before the second attempt, for longer than the pause between two attempts. It returns when
// the upgrade is over.
func (s *Stage) upgradesMeanwhile(ctx context.Context, machine *clusterv1.Machine, cooling time.Time) (time.Time, error) {
	rollout, err := s.rollOut(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if err := s.pausedForUpgrade(ctx); err != nil {
		return time.Time{}, err
	}
	due, err := s.toldOfUpgrade(ctx, machine, cooling)
	if err != nil {
		return time.Time{}, err
	}
	if err := s.quiet(ctx, time.Until(due)+quietTime, machine); err != nil {
		return time.Time{}, err
	}
	if err := s.notCycled(machine, cooling, time.Now(), nil); err != nil {
		return time.Time{}, err
	}
	s.say(Refrains, time.Now(), "the second attempt has been due for %s: host %s stays on", time.Since(due).Round(time.Second), machine.Status.NodeRef.Name)
	if err := rollout.finish(ctx, s); err != nil {
		return time.Time{}, err
	}
	end, resumed, err := s.resumed(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return resumed, s.notCycled(machine, cooling, resumed, &end)
}

// toldOfUpgrade waits until the record of a machine and its RebootRemediation say that they wait for the upgrade. It returns when the
// second attempt would otherwise be due.
func (s *Stage) toldOfUpgrade(ctx context.Context, machine *clusterv1.Machine, cooling time.Time) (time.Time, error) {
	const upgrade = "Paused by Sickbay during an upgrade"
	_, _, err := s.record(ctx, machine, "the pause", func(record *v1alpha1.MachineRemediation) bool {
		progress := journal.Progress(record)
		return progress.Reason == v1alpha1.ReasonPaused && strings.Contains(progress.Message, upgrade)
	})
	if err != nil {
		return time.Time{}, err
	}
	var condition *metav1.Condition
	request, at, err := s.requestThat(ctx, machine, "the pause", cooling, func(r *v1alpha1.RebootRemediation) bool {
		condition = meta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionSucceeded)
		return condition != nil && condition.Reason == v1alpha1.ReasonUnderPause && strings.Contains(condition.Message, upgrade)
	})
	if err != nil {
		return time.Time{}, err
	}
	s.say(Refrains, at, "RebootRemediation %s: %s after attempt %d, %s%s", request.Name, request.Status.Phase, request.Status.Attempt, condition.Reason, quoted(condition.Message))
	if request.Status.NextAttemptAt == nil {
		return time.Time{}, fmt.Errorf("RebootRemediation %s does not say when the next attempt is due", request.Name)
	}
	return request.Status.NextAttemptAt.Time, nil
}

// notCycled returns an error if the power of the host changed between two times, or if another attempt began after the first of them. An
// attempt that is stored later than resumed, the end of the pause, may begin; resumed is nil before that.
func (s *Stage) notCycled(machine *clusterv1.Machine, after, before time.Time, resumed *journal.Entry) error {
	begun, found := s.Journal.Find(func(e journal.Entry) bool {
		return journal.IsRequest(e, machine) && e.At.After(after) && (resumed == nil || e.Before(*resumed)) &&
			e.Object.(*v1alpha1.RebootRemediation).Status.Phase != v1alpha1.CoolingDown
	})
	if found {
		return fmt.Errorf("RebootRemediation %s was in phase %s before the end of the upgrade", begun.Object.GetName(), begun.Object.(*v1alpha1.RebootRemediation).Status.Phase)
	}
	host := s.hostOf(machine)
	for _, change := range s.World.Host(host).History() {
		if change.At.After(after) && change.At.Before(before) {
			return fmt.Errorf("the power of host %s changed before the end of the upgrade: %v", host, change)
		}
	}
	return nil
}
