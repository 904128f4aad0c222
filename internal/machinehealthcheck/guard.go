package machinehealthcheck

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// scope is what all remedies of one run stand on, as it was just read live.
type scope struct {
	mhc     *clusterv1.MachineHealthCheck
	cluster *clusterv1.Cluster
}

// confirm reads the MachineHealthCheck and its Cluster past the cache. It tells
// whether the decision still holds for them; if not, an event is on its way.
func (r *Reconciler) confirm(ctx context.Context, f Facts) (scope, bool, error) {
	s := scope{&clusterv1.MachineHealthCheck{}, &clusterv1.Cluster{}}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(f.MachineHealthCheck), s.mhc); err != nil {
		return s, false, client.IgnoreNotFound(err)
	}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(f.Cluster), s.cluster); err != nil {
		return s, false, client.IgnoreNotFound(err)
	}
	return s, s.mhc.UID == f.MachineHealthCheck.UID && s.mhc.Generation == f.MachineHealthCheck.Generation &&
		s.mhc.DeletionTimestamp.IsZero() && r.Policy.Manages(s.mhc) &&
		sameConfig(s.mhc, f.MachineHealthCheck) && len(targets.Paused(s.mhc, s.cluster)) == 0, nil
}

// sameConfig compares what the annotations ask for; they are no part of the generation.
func sameConfig(a, b *clusterv1.MachineHealthCheck) bool {
	configA, problemsA := ParseConfig(a)
	configB, problemsB := ParseConfig(b)
	return equality.Semantic.DeepEqual(configA, configB) && slices.Equal(problemsA, problemsB)
}

// examine reads a Machine and its Node past the cache and judges them again. It
// returns the Machine if it is to be remediated, or why it is not.
func (r *Reconciler) examine(ctx context.Context, s scope, due Remedy) (machine *clusterv1.Machine, spared string, err error) {
	machine = &clusterv1.Machine{}
	key := client.ObjectKeyFromObject(due.Target.Machine)
	if err := r.Live.Get(ctx, key, machine); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, "it is gone", nil
		}
		return nil, "", fmt.Errorf("getting machine %s: %w", key, err)
	}
	if why := r.unfit(s, due, machine); why != "" {
		return nil, why, nil
	}
	facts, err := r.Observer.Facts(ctx, machine, s.mhc, s.cluster, true)
	if err != nil {
		return nil, "", err
	}
	if verdict := machinehealth.Decide(facts, r.Clock.Now()); verdict.Status != healthcheck.False {
		return nil, "it is not unhealthy any more", nil
	}
	return machine, "", nil
}

// sparedInFlight is why a Machine is spared on which a remedy is at work that the
// cache does not show. It takes its place in the budget all the same.
const sparedInFlight = "a remedy is at work already"

// unfit says why a remedy must not be applied to a Machine whatever its health.
func (r *Reconciler) unfit(s scope, due Remedy, machine *clusterv1.Machine) string {
	live := Target{Machine: machine, Request: due.Target.Request}
	switch {
	case machine.UID != due.Target.Machine.UID:
		return "another machine has its name"
	case !targets.IsTarget(machine):
		return "somebody asked to leave it alone"
	case !r.Selectors.Matches(s.mhc, machine):
		return "it is not selected any more"
	case live.inFlight():
		return sparedInFlight
	case !live.sick():
		return "its stored verdict has changed"
	case due.Kind == remedy.Owner && metav1.GetControllerOf(machine) == nil,
		due.Kind == remedy.Delete && metav1.GetControllerOf(machine) != nil:
		return "its owner has changed"
	case due.Kind == remedy.Reboot && r.Clock.Now().Before(rebootDueAt(s.mhc, machine)):
		return rebootedLately
	}
	return ""
}
