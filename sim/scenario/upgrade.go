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
func upgraded(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	rollout := s.rollOut(ctx)
	s.pausedForUpgrade(ctx)
	s.breaks(ctx, stopKubelet(s, &machines[0]))
	s.quiet(ctx, nodeTimeout+quietTime, &machines[0])
	s.say(Refrains, time.Now(), "the kubelet has been silent for %s, its timeout is %s: nothing is done", s.since(time.Now()).Round(time.Second), nodeTimeout)
	rollout.finish(ctx, s)
	_, s.began = s.resumed(ctx)
	s.judged(ctx, &machines[0], metav1.ConditionUnknown, "NodeConditionsNotYetUnhealthy")
	s.remediated(ctx, &machines[0], uids(machines), "ReadyUnhealthy", nodeTimeout, "not touched during the upgrade; times from its end")
	if s.outcome.Detected < nodeTimeout {
		failf("machine %s was judged sick %s after the upgrade, before its timeout of %s", machines[0].Name, s.outcome.Detected, nodeTimeout)
	}
}

// rollout is an upgrade of the other pool that lasts as long as the story needs.
type rollout struct {
	// old is the machine that must go, and held is what keeps it.
	old  *clusterv1.Machine
	held fault.HoldDeletion
}

// rollOut begins the upgrade. It cannot end, because the old machine cannot go.
func (s *Stage) rollOut(ctx context.Context) rollout {
	pool := s.Others[0].Name
	old := s.onlyMachine(ctx, pool)
	r := rollout{old: old, held: fault.HoldDeletion{Machine: client.ObjectKeyFromObject(old)}}
	s.breaks(ctx, r.held)
	upgrade := fault.Upgrade{Cluster: s.Key(), MachineDeployment: world.MachineDeploymentName(s.Cluster, pool), Version: newerVersion}
	began := time.Now()
	mustDo(upgrade.Inject(ctx, s.World), "beginning the upgrade")
	s.say(Upgrades, began, "%s", upgrade)
	return r
}

// finish lets the rollout end, and waits for that.
func (r rollout) finish(ctx context.Context, s *Stage) {
	s.mends(ctx, r.held, fmt.Sprintf("machine %s can go, which the upgrade has been waiting for", r.old.Name))
	gone := mustGet(s.Journal.Gone(ctx, r.old.UID, "the end of machine "+r.old.Name))
	entry := mustGet(s.Journal.Await(ctx, "a machine with Kubernetes "+newerVersion, func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && !e.Gone && m.Spec.ClusterName == s.Cluster && m.Spec.Version == newerVersion && m.Status.NodeRef.IsDefined()
	}))
	s.say(Upgrades, gone.At, "machine %s has Kubernetes %s, and the last with %s is gone", entry.Object.GetName(), newerVersion, r.old.Spec.Version)
}

// pausedForUpgrade waits until Sickbay pauses the MachineHealthCheck and respects the pause.
func (s *Stage) pausedForUpgrade(ctx context.Context) {
	entry := s.ownHealthCheck(ctx, "the pause of the MachineHealthCheck", func(mhc *clusterv1.MachineHealthCheck) bool {
		_, marked := mhc.Annotations[pausedForUpgrade]
		return marked && mhc.Annotations[clusterv1.PausedAnnotation] == "upgrade"
	})
	s.say(Refrains, entry.At, "MachineHealthCheck %s gets the annotations %s: upgrade and %s", s.Name, clusterv1.PausedAnnotation, pausedForUpgrade)
	s.healthCheck(ctx, clusterv1.PausedCondition, metav1.ConditionTrue, clusterv1.PausedReason, "Paused=True")
}

// resumed waits until Sickbay has undone all of that. It returns the MachineHealthCheck, and the time from which timeouts count.
func (s *Stage) resumed(ctx context.Context) (journal.Entry, time.Time) {
	entry := s.ownHealthCheck(ctx, "the end of the pause of the MachineHealthCheck", func(mhc *clusterv1.MachineHealthCheck) bool {
		_, paused := mhc.Annotations[clusterv1.PausedAnnotation]
		_, marked := mhc.Annotations[pausedForUpgrade]
		return !paused && !marked && mhc.Annotations[resumedAt] != ""
	})
	text := entry.Object.GetAnnotations()[resumedAt]
	at, err := time.Parse(time.RFC3339, text)
	mustDo(err, "reading when the MachineHealthCheck was resumed")
	s.say(Resumes, entry.At, "MachineHealthCheck %s gets the annotation %s: %s; timeouts count from then", s.Name, resumedAt, text)
	return entry, at
}
