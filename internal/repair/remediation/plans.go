package remediation

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// planControllerName names the controller that checks plans.
const planControllerName = "remediation-plans"

// Reasons of the condition Accepted on a MachineRemediationTemplate.
const (
	// ReasonAccepted: the plan can be used.
	ReasonAccepted = "Accepted"
	// ReasonInvalidRule: a rule cannot be evaluated. Repairs by the plan are Held.
	ReasonInvalidRule = "InvalidRule"
)

// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediationtemplates,verbs=get;list;watch
// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediationtemplates/status,verbs=update

// planCheck reports on each MachineRemediationTemplate whether its plan can be used, so that a bad rule shows when it is applied
// and not when a machine is sick.
type planCheck struct {
	client client.Client
	clock  clock.PassiveClock
	rules  *rules.Cache
	// conflicts are those of its writes.
	conflicts controllerstate.Memory[struct{}]
}

// Reconcile checks one plan.
func (p *planCheck) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	template, err := scaffold.Find(ctx, p.client, req.NamespacedName, &v1alpha1.MachineRemediationTemplate{})
	if err != nil {
		return ctrl.Result{}, err
	}
	if template == nil {
		p.conflicts.Forget(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	before := template.Status.DeepCopy()
	p.assess(template)
	if equality.Semantic.DeepEqual(before, &template.Status) {
		return ctrl.Result{}, nil
	}
	err = p.client.Status().Update(ctx, template, client.FieldOwner(FieldOwner))
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: p.conflicts.Conflict(req.NamespacedName)}, nil
	}
	p.conflicts.NoConflict(req.NamespacedName)
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("writing the status of MachineRemediationTemplate %s: %w", req.NamespacedName, err)
	}
	return ctrl.Result{}, nil
}

// assess says in the status of a plan whether it can be used.
func (p *planCheck) assess(template *v1alpha1.MachineRemediationTemplate) {
	accepted, summary := p.accepted(template), ""
	if accepted.Status == metav1.ConditionFalse {
		summary = v1alpha1.ConditionStalled
	}
	meta.SetStatusCondition(&template.Status.Conditions, accepted)
	conditions.Summarize(&template.Status.Conditions, summary, accepted)
	template.Status.ObservedGeneration = template.Generation
}

func (p *planCheck) accepted(template *v1alpha1.MachineRemediationTemplate) metav1.Condition {
	c := metav1.Condition{
		Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: ReasonAccepted,
		ObservedGeneration: template.Generation, LastTransitionTime: metav1.NewTime(p.clock.Now().Truncate(time.Second)),
	}
	if _, err := p.rules.Get(template); err != nil {
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, ReasonInvalidRule, err.Error()
	}
	return c
}

func (p *planCheck) addToManager(mgr ctrl.Manager) error {
	ctl, err := scaffold.New(mgr, planControllerName, p, 1, nil)
	if err != nil {
		return err
	}
	plans := source.Kind(mgr.GetCache(), client.Object(&v1alpha1.MachineRemediationTemplate{}), &handler.EnqueueRequestForObject{},
		predicate.GenerationChangedPredicate{})
	return scaffold.Add(mgr, ctl, planControllerName, plans)
}

// ruleFacts evaluates the rules of the plan for the record's next step. If the plan was edited since the record was made, its rules
// do not apply: edits apply to the next record.
func (r *Reader) ruleFacts(ctx context.Context, v *view) error {
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
		in := rules.InputOf(v.machine, node, mhcspec.RulesOf(v.mhc), v.found(), v.facts.Record.Status.Attempts)
		v.facts.JumpTo, _, problem = compiled.StartAt(in)
	}
	if problem != nil {
		v.facts.Safety.PlanProblem = ownwrites.Note("The plan cannot be evaluated: " + problem.Error())
	}
	return nil
}

// planWithRules returns the plan of a record if it is unchanged and has rules; otherwise nil.
func (r *Reader) planWithRules(ctx context.Context, record *v1alpha1.MachineRemediation) (*v1alpha1.MachineRemediationTemplate, error) {
	ref := record.Spec.TemplateRef
	if ref == nil {
		return nil, nil
	}
	template, err := mhcspec.Plan(ctx, r.Cache, client.ObjectKey{Namespace: record.Namespace, Name: ref.Name})
	if template == nil || template.UID != ref.UID || template.Generation != ref.Generation || len(template.Spec.Template.Spec.Rules) == 0 {
		return nil, err
	}
	return template, nil
}

// nodeFor returns the Node of the machine: the one that was judged, or else the cached one.
func (r *Reader) nodeFor(ctx context.Context, v *view) (*corev1.Node, error) {
	if v.node != nil {
		return v.node, nil
	}
	facts, err := r.Observer.CachedFacts(ctx, v.machine, v.mhc, v.cluster)
	return facts.Node.Node, err
}
