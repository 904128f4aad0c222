// Package slots reads, for both controllers, what is counted: the machines of a MachineHealthCheck, their repairs in flight, and what its gate,
// its budget and its plan's pacing say about one more. What the counts mean, admission decides.
package slots

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

const (
	// answersOfLook is how many acts one look at the machines serves: a storm stops within that many acts, and those whose write has begun.
	answersOfLook = 8
	// lookLasts is how long one look is used once it has ended: in a busy process, the look itself may take longer.
	lookLasts = time.Second
)

// Gatekeeper reports, just before an attempt acts, whether it still may. It is safe for concurrent use.
type Gatekeeper struct {
	Reader

	// looks has a lastLook for each MachineHealthCheck, by its key.
	looks sync.Map
}

// lastLook is the last look at the machines of a MachineHealthCheck.
type lastLook struct {
	mu         sync.Mutex
	uid        types.UID
	generation int64
	// ability is what the status said then: when that changes, what was counted has changed.
	ability [4]string
	// at is when the look ended.
	at time.Time
	// left is how many more answers it is used for.
	left int
	// first says why a repair may not begin, and further why one in progress may not go on; empty if it may.
	first, further string
	// shares are how many Nodes show conditions for which there is a limit.
	shares []admission.Share
}

// GateClosed says why triggerIf of mhc does not allow remediation now; empty if it does. Its lower bound applies only to the first
// step of a record.
func (g *Gatekeeper) GateClosed(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, first bool) (why string, err error) {
	if admission.AlwaysOpen(mhc) {
		return "", nil
	}
	kept, unlock, err := g.look(ctx, mhc, cluster)
	defer unlock()
	switch {
	case err != nil:
		return "", err
	case first:
		return kept.first, nil
	}
	return kept.further, nil
}

// Suspected says why a machine must not be repaired now that is sick only by conditions that too many Nodes show at once; empty if it may. Health is
// what the verdict on it depends on.
func (g *Gatekeeper) Suspected(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, health verdict.Facts) (why string, err error) {
	if len(admission.SharesOf(mhc)) == 0 {
		return "", nil
	}
	kept, unlock, err := g.look(ctx, mhc, cluster)
	defer unlock()
	if err != nil {
		return "", err
	}
	return admission.Suspected(health.By(mhcspec.RulesOf(mhc)), kept.shares, g.Clock.Now()), nil
}

// look returns a look at the machines that is still good, and locks it. It counts as used once more.
func (g *Gatekeeper) look(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) (kept *lastLook, unlock func(), err error) {
	last, _ := g.looks.LoadOrStore(client.ObjectKeyFromObject(mhc), &lastLook{})
	kept = last.(*lastLook)
	kept.mu.Lock()
	now := g.Clock.Now()
	if kept.left == 0 || kept.uid != mhc.UID || kept.generation != mhc.Generation || kept.ability != admission.AbilityOf(mhc) || now.Sub(kept.at) >= lookLasts || now.Before(kept.at) {
		if err := g.lookAgain(ctx, kept, mhc, cluster); err != nil {
			return kept, kept.mu.Unlock, err
		}
	}
	kept.left--
	return kept, kept.mu.Unlock, nil
}

func (g *Gatekeeper) lookAgain(ctx context.Context, kept *lastLook, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) error {
	f := admission.Facts{MachineHealthCheck: mhc, Cluster: cluster}
	if err := g.AddTargets(ctx, &f); err != nil {
		return err
	}
	if err := g.Suspect(ctx, &f); err != nil {
		return err
	}
	if most, bounded := admission.GateBound(mhc); bounded {
		if err := g.Judge(ctx, &f, most(len(f.Targets))); err != nil {
			return err
		}
	}
	kept.uid, kept.generation, kept.ability, kept.at, kept.left = mhc.UID, mhc.Generation, admission.AbilityOf(mhc), g.Clock.Now(), answersOfLook
	kept.first, kept.further, kept.shares = admission.GateClosed(f, true), admission.GateClosed(f, false), f.Shares
	return nil
}

// OverBudget says why a record may not act although it has a slot: more machines are in flight than allowed. It is empty if there
// is no limit, or the number is within it. The plan is the one that mhc names, nil if there is none. If there is a limit, open is asked for the
// open records of the cluster, past the cache.
func (g *Gatekeeper) OverBudget(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, plan *v1alpha1.MachineRemediationTemplate, open OpenRecords) (why string, err error) {
	if mhcspec.PlanMissing(mhc, plan) {
		return "MachineRemediationTemplate " + mhcspec.PlanKey(mhc).Name + " does not exist, so the limit on repairs is unknown", nil
	}
	f := admission.Facts{MachineHealthCheck: mhc, Cluster: cluster, Template: admission.Template{Plan: plan}}
	if !admission.Bounded(f) {
		return "", nil
	}
	if err := g.AddTargets(ctx, &f); err != nil {
		return "", err
	}
	all, err := open(ctx)
	if err != nil {
		return "", err
	}
	if err := g.AddRecords(ctx, &f, all); err != nil {
		return "", err
	}
	return admission.OverBudget(f, g.Clock.Now()), nil
}

// OpenRecords returns the open records of a cluster, past the cache.
type OpenRecords = func(context.Context) ([]*v1alpha1.MachineRemediation, error)

// Paced says why the plan's pacing does not let the repair of a machine begin now; empty if it does. It reads all records of the
// cluster, so ask it only for machines that wait.
func (g *Gatekeeper) Paced(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, machine *clusterv1.Machine) (why string, err error) {
	plan, err := mhcspec.PlanOf(ctx, g.Cache, mhc)
	if err != nil || plan == nil || plan.Spec.Template.Spec.Pacing == nil {
		return "", err
	}
	all, err := recordstore.OfCluster(ctx, g.Cache, client.ObjectKeyFromObject(cluster))
	if err != nil {
		return "", err
	}
	f := admission.Facts{MachineHealthCheck: mhc, Cluster: cluster, Template: admission.Template{Plan: plan}, History: all}
	return admission.Paced(f, machine, g.Clock.Now()), nil
}
