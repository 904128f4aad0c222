package remediation

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/controllerstate"
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
	// uids are the UIDs of the templates that were checked, by name, to drop their compiled rules.
	uids sync.Map
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
		p.forget(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	p.uids.Store(req.NamespacedName, template.UID)
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

func (p *planCheck) forget(key client.ObjectKey) {
	p.conflicts.Forget(key)
	if uid, ok := p.uids.LoadAndDelete(key); ok {
		p.rules.Forget(uid.(types.UID))
	}
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
