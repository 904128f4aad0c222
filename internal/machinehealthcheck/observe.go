package machinehealthcheck

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// observe reads everything that a decision needs: from the cache, or what a budget
// is spent on past it if live is set.
func (r *Reconciler) observe(ctx context.Context, mhc *clusterv1.MachineHealthCheck, live bool) (Facts, error) {
	key := client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.ClusterName}
	cluster := &clusterv1.Cluster{}
	if err := r.Client.Get(ctx, key, cluster); err != nil {
		return Facts{}, fmt.Errorf("getting Cluster %s: %w", key, err)
	}
	machines, err := r.machines(ctx, key, live)
	if err != nil {
		return Facts{}, err
	}
	siblings, err := targets.MachineHealthChecksOf(ctx, r.Client, key)
	if err != nil {
		return Facts{}, err
	}
	f := Facts{MachineHealthCheck: mhc, Cluster: cluster, SelectorProblem: r.Selectors.Problem(mhc)}
	var requests map[string]*metav1.PartialObjectMetadata
	if mhc.Spec.Remediation.TemplateRef.IsDefined() {
		if f.Template, requests, err = r.observeRequests(ctx, mhc, live); err != nil {
			return Facts{}, err
		}
	}
	f.addTargets(r.Selectors, machines, siblings, requests)
	if live {
		r.acted.learn(client.ObjectKeyFromObject(mhc), f.Targets, r.Clock.Now())
		return f, nil
	}
	f.Unseen = r.acted.mark(client.ObjectKeyFromObject(mhc), f.Targets, r.Clock.Now())
	return f, nil
}

func (r *Reconciler) machines(ctx context.Context, cluster client.ObjectKey, live bool) ([]clusterv1.Machine, error) {
	if live {
		return targets.LiveMachinesOf(ctx, r.Live, cluster)
	}
	return targets.MachinesOf(ctx, r.Client, cluster)
}

// addTargets finds the Machines that belong to the MachineHealthCheck, and notes
// those that it selects but that belong to an older one.
func (f *Facts) addTargets(selectors *targets.Selectors, machines []clusterv1.Machine, siblings []*clusterv1.MachineHealthCheck,
	requests map[string]*metav1.PartialObjectMetadata,
) {
	mhc := f.MachineHealthCheck
	f.Elsewhere = map[string][]string{}
	for i := range machines {
		machine := &machines[i]
		if !selectors.Matches(mhc, machine) || !targets.IsTarget(machine) {
			continue
		}
		if owner := selectors.Owner(machine, siblings); owner != nil && owner.UID != mhc.UID {
			f.Elsewhere[owner.Name] = append(f.Elsewhere[owner.Name], machine.Name)
			continue
		}
		target := Target{Machine: machine}
		if request := requests[machine.Name]; request != nil && remedy.IsFor(request, machine) {
			target.Request = request
		}
		f.Targets = append(f.Targets, target)
	}
	slices.SortFunc(f.Targets, func(a, b Target) int { return cmp.Compare(a.Machine.Name, b.Machine.Name) })
}
