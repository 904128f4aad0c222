package scenario

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// The annotations for upgrades, as users know them.
const (
	pauseOnUpgrade   = "sickbay.dev/pause-on-upgrade"
	pausedForUpgrade = "machine.openshift.io/paused-for-upgrade"
	resumedAt        = "sickbay.dev/resumed-at"
)

// newerVersion is the version to upgrade to. Cluster API insists on the minor version of the control plane.
const newerVersion = "v1.36.4"

// upgraded: while a cluster rolls out another version of Kubernetes, nothing in it is remediated. Afterwards, a sick
// machine gets its full timeout again, and only then is it replaced.
func upgraded(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	rollout, err := s.rollOut(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.pausedForUpgrade(ctx); err != nil {
		return Outcome{}, err
	}
	if err := s.breaks(ctx, stopKubelet(s, &machines[0])); err != nil {
		return Outcome{}, err
	}
	if err := s.quiet(ctx, nodeTimeout+quietTime, &machines[0]); err != nil {
		return Outcome{}, err
	}
	s.say(Refrains, time.Now(), "the kubelet has been silent for %s, its timeout is %s: nothing is done", s.since(time.Now()).Round(time.Second), nodeTimeout)
	if err := rollout.finish(ctx, s); err != nil {
		return Outcome{}, err
	}
	if _, s.began, err = s.resumed(ctx); err != nil {
		return Outcome{}, err
	}
	if _, err := s.judged(ctx, &machines[0], metav1.ConditionUnknown, "NodeConditionsNotYetUnhealthy", true); err != nil {
		return Outcome{}, err
	}
	outcome, err := s.remediated(ctx, &machines[0], uids(machines), "ReadyUnhealthy", nodeTimeout)
	outcome.Remark = "not touched during the upgrade; times from its end"
	if err == nil && outcome.Detected < nodeTimeout {
		err = fmt.Errorf("machine %s was judged sick %s after the upgrade, before its timeout of %s", machines[0].Name, outcome.Detected, nodeTimeout)
	}
	return outcome, err
}

// rollout is an upgrade of the other pool that lasts as long as the story needs.
type rollout struct {
	// old is the machine that must go, and held is what keeps it.
	old  clusterv1.Machine
	held fault.HoldDeletion
}

// rollOut begins the upgrade. It cannot end, because the old machine cannot go.
func (s *Stage) rollOut(ctx context.Context) (rollout, error) {
	pool := s.Others[0].Name
	others, err := s.World.PoolMachines(ctx, s.Key(), pool)
	if err != nil {
		return rollout{}, err
	}
	if len(others) != 1 {
		return rollout{}, fmt.Errorf("pool %s has %d machines instead of one", pool, len(others))
	}
	r := rollout{old: others[0], held: fault.HoldDeletion{Machine: client.ObjectKeyFromObject(&others[0])}}
	if err := s.breaks(ctx, r.held); err != nil {
		return rollout{}, err
	}
	upgrade := fault.Upgrade{Cluster: s.Key(), MachineDeployment: world.MachineDeploymentName(s.Cluster, pool), Version: newerVersion}
	began := time.Now()
	if err := upgrade.Inject(ctx, s.World); err != nil {
		return rollout{}, fmt.Errorf("beginning the upgrade: %w", err)
	}
	s.say(Upgrades, began, "%s", upgrade)
	return r, nil
}

// finish lets the rollout end, and waits for that.
func (r rollout) finish(ctx context.Context, s *Stage) error {
	if err := s.mends(ctx, r.held, fmt.Sprintf("machine %s can go, which the upgrade has been waiting for", r.old.Name)); err != nil {
		return err
	}
	gone, err := s.Journal.Gone(ctx, r.old.UID, "the end of machine "+r.old.Name)
	if err != nil {
		return err
	}
	entry, err := s.Journal.Await(ctx, "a machine with Kubernetes "+newerVersion, func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && !e.Gone && m.Spec.ClusterName == s.Cluster && m.Spec.Version == newerVersion && m.Status.NodeRef.IsDefined()
	})
	if err != nil {
		return err
	}
	s.say(Upgrades, gone.At, "machine %s has Kubernetes %s, and the last with %s is gone", entry.Object.GetName(), newerVersion, r.old.Spec.Version)
	return nil
}

// pausedForUpgrade waits until Sickbay pauses the MachineHealthCheck and respects the pause.
func (s *Stage) pausedForUpgrade(ctx context.Context) error {
	entry, err := s.ownHealthCheck(ctx, "the pause of the MachineHealthCheck", func(mhc *clusterv1.MachineHealthCheck) bool {
		_, marked := mhc.Annotations[pausedForUpgrade]
		return marked && mhc.Annotations[clusterv1.PausedAnnotation] == "upgrade"
	})
	if err != nil {
		return err
	}
	s.say(Refrains, entry.At, "MachineHealthCheck %s gets the annotations %s: upgrade and %s", s.Name, clusterv1.PausedAnnotation, pausedForUpgrade)
	at, condition, err := s.healthCheck(ctx, clusterv1.PausedCondition, metav1.ConditionTrue, clusterv1.PausedReason)
	if err != nil {
		return err
	}
	s.say(Refrains, at, "MachineHealthCheck %s: Paused=True%s", s.Name, quoted(condition.Message))
	return nil
}

// resumed waits until Sickbay has undone all of that. It returns the MachineHealthCheck, and the time from which timeouts count.
func (s *Stage) resumed(ctx context.Context) (journal.Entry, time.Time, error) {
	entry, err := s.ownHealthCheck(ctx, "the end of the pause of the MachineHealthCheck", func(mhc *clusterv1.MachineHealthCheck) bool {
		_, paused := mhc.Annotations[clusterv1.PausedAnnotation]
		_, marked := mhc.Annotations[pausedForUpgrade]
		return !paused && !marked && mhc.Annotations[resumedAt] != ""
	})
	if err != nil {
		return entry, time.Time{}, err
	}
	text := entry.Object.GetAnnotations()[resumedAt]
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return entry, time.Time{}, fmt.Errorf("reading when the MachineHealthCheck was resumed: %w", err)
	}
	s.say(Resumes, entry.At, "MachineHealthCheck %s gets the annotation %s: %s; timeouts count from then", s.Name, resumedAt, text)
	return entry, at, nil
}
