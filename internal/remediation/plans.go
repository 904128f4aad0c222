package remediation

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/remediation/rules"
)

// planOf reads the plan that a MachineHealthCheck names; nil if it names none, or one that does not exist.
func planOf(ctx context.Context, reader client.Reader, mhc *clusterv1.MachineHealthCheck) (*v1alpha1.MachineRemediationTemplate, error) {
	if !admission.NamesPlan(mhc) {
		return nil, nil
	}
	return plan(ctx, reader, planKey(mhc))
}

func planKey(mhc *clusterv1.MachineHealthCheck) client.ObjectKey {
	return client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.Remediation.TemplateRef.Name}
}

// plan reads a plan; nil if there is none of that name.
func plan(ctx context.Context, reader client.Reader, key client.ObjectKey) (*v1alpha1.MachineRemediationTemplate, error) {
	template := &v1alpha1.MachineRemediationTemplate{}
	err := reader.Get(ctx, key, template)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting MachineRemediationTemplate %s: %w", key, err)
	}
	return template, nil
}

// ruleFacts asks the rules of the plan where the record goes on. They are those that it was made with, or none: what is
// edited applies to the next one.
func (r *Reconciler) ruleFacts(ctx context.Context, v *view) error {
	v.facts.JumpTo, v.facts.Safety.PlanProblem = "", ""
	if v.machine == nil || v.mhc == nil || v.cluster == nil || ladder.AtWork(v.facts.Record) != nil {
		return nil
	}
	template, err := r.planWithRules(ctx, v.facts.Record)
	if template == nil {
		return err
	}
	node, err := r.nodeFor(ctx, v)
	if err != nil {
		return err
	}
	compiled, problem := r.rules.Get(template)
	if problem == nil {
		in := rules.InputOf(v.machine, node, machinehealth.RulesOf(v.mhc), v.facts.Record.Status.Attempts)
		v.facts.JumpTo, _, problem = compiled.StartAt(in)
	}
	if problem != nil {
		v.facts.Safety.PlanProblem = "The plan cannot be evaluated: " + problem.Error()
	}
	return nil
}

// planWithRules is the plan that a record was made by, as it still is; nil if that has no rules.
func (r *Reconciler) planWithRules(ctx context.Context, record *v1alpha1.MachineRemediation) (*v1alpha1.MachineRemediationTemplate, error) {
	ref := record.Spec.TemplateRef
	if ref == nil {
		return nil, nil
	}
	template, err := plan(ctx, r.Client, client.ObjectKey{Namespace: record.Namespace, Name: ref.Name})
	if template == nil || template.UID != ref.UID || template.Generation != ref.Generation || len(template.Spec.Template.Spec.Rules) == 0 {
		return nil, err
	}
	return template, nil
}

// nodeFor is the Node of the machine as far as it was read: that of a judgement, or else the one in the cache.
func (r *Reconciler) nodeFor(ctx context.Context, v *view) (*corev1.Node, error) {
	if v.node != nil {
		return v.node, nil
	}
	facts, err := r.Observer.CachedFacts(ctx, v.machine, v.mhc, v.cluster)
	return facts.Node.Node, err
}
