package machinehealthcheck

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
)

// starting evaluates the plan's rules for the step with which each admitted machine begins.
func (r *Reader) starting(ctx context.Context, f admission.Facts, d admission.Decision, due []admission.Admission) []admission.Admission {
	plan := f.Template.Plan
	if plan == nil || len(plan.Spec.Template.Spec.Rules) == 0 {
		return due
	}
	compiled, err := r.rules.Get(plan)
	all := make([]admission.Admission, len(due))
	for i, one := range due {
		if err != nil {
			all[i] = d.StartBy(one, "", "", err)
			continue
		}
		step, rule, err := compiled.StartAt(rules.InputOf(one.Machine, r.node(ctx, f, one.Machine), mhcspec.RulesOf(f.MachineHealthCheck), one.Verdict(), nil))
		all[i] = d.StartBy(one, step, rule, err)
	}
	return all
}

// node returns the Node of a machine from the cache; nil if it has none.
func (r *Reader) node(ctx context.Context, f admission.Facts, machine *clusterv1.Machine) *corev1.Node {
	if !machine.Status.NodeRef.IsDefined() {
		return nil
	}
	node, err := r.Observer.Nodes.Get(ctx, client.ObjectKeyFromObject(f.Cluster), machine.Status.NodeRef.Name)
	if err != nil {
		return nil
	}
	return node
}
