package externalremediation

import (
	"context"
	"errors"
	"fmt"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
)

// errReplaced says that a Machine is another one than a moment ago.
var errReplaced = errors.New("the machine is another one")

// view is what was read, for a decision and for what it leads to.
type view struct {
	facts Facts
	// machine is nil if there is none, or if it is being deleted: then its owner sees to what there is.
	machine *machinev1.Machine
}

// concerned tells by the cache whether there is anything to look at. The names of most Machines are all that is read of them.
func (r *Reconciler) concerned(ctx context.Context, key client.ObjectKey) (bool, error) {
	machine := &metav1.PartialObjectMetadata{}
	machine.SetGroupVersionKind(Kind)
	if err := r.Client.Get(ctx, key, machine); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if has(machine, Annotation) || has(machine, OutcomeAnnotation) {
		return true, nil
	}
	err := r.Client.Get(ctx, requestKey(machine), &v1alpha1.RebootRemediation{})
	return err == nil, client.IgnoreNotFound(err)
}

func requestKey(machine metav1.Object) client.ObjectKey {
	return client.ObjectKey{Namespace: machine.GetNamespace(), Name: reboot.RequestName(machine, "external")}
}

// observe reads everything past the cache. The Machine comes after the request: if the request has ended, the Machine tells whether
// it is asked for once more.
func (r *Reconciler) observe(ctx context.Context, key client.ObjectKey) (view, error) {
	machine := &machinev1.Machine{}
	if err := r.Live.Get(ctx, key, machine); err != nil {
		return view{}, client.IgnoreNotFound(err)
	}
	facts, err := r.requestFacts(ctx, machine)
	if err != nil {
		return view{}, err
	}
	uid := machine.UID
	if err := r.Live.Get(ctx, key, machine); err != nil {
		return view{}, client.IgnoreNotFound(err)
	}
	if machine.UID != uid {
		return view{}, errReplaced
	}
	if !machine.DeletionTimestamp.IsZero() {
		return view{}, nil
	}
	facts.Asked, facts.Told = has(machine, Annotation), machine.Annotations[OutcomeAnnotation]
	err = r.judge(ctx, machine, &facts)
	return view{facts: facts, machine: machine}, err
}

// requestFacts reads what was made for a Machine.
func (r *Reconciler) requestFacts(ctx context.Context, machine *machinev1.Machine) (Facts, error) {
	request := &v1alpha1.RebootRemediation{}
	err := r.Live.Get(ctx, requestKey(machine), request)
	if apierrors.IsNotFound(err) {
		return Facts{}, nil
	}
	if err != nil {
		return Facts{}, fmt.Errorf("getting RebootRemediation %s: %w", requestKey(machine), err)
	}
	return Facts{
		Request:  request,
		Finished: request.Status.Phase.Ended() && !controllerutil.ContainsFinalizer(request, reboot.Finalizer),
	}, nil
}

// judge reads whether the machine is healthy, and whether somebody else is at work, where that matters.
func (r *Reconciler) judge(ctx context.Context, machine *machinev1.Machine, facts *Facts) (err error) {
	if !facts.Asked || (facts.Request != nil && !facts.Finished) {
		return nil
	}
	if facts.Healthy, err = r.healthy(ctx, machine); err != nil || facts.Healthy || facts.Request != nil {
		return err
	}
	facts.Provider, err = ProviderAtWork(ctx, r.Live, machine.Namespace, r.Clock.Now())
	return err
}

// healthy tells that the Node of a Machine is Ready, and that none of the conditions matches for which a MachineHealthCheck of the
// Machine would call it unhealthy, for however short a time.
func (r *Reconciler) healthy(ctx context.Context, machine *machinev1.Machine) (bool, error) {
	if machine.Status.NodeRef == nil {
		return false, nil
	}
	node := &corev1.Node{}
	err := r.Live.Get(ctx, client.ObjectKey{Name: machine.Status.NodeRef.Name}, node)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("getting Node %s: %w", machine.Status.NodeRef.Name, err)
	}
	var checks machinev1.MachineHealthCheckList
	if err := r.Live.List(ctx, &checks, client.InNamespace(machine.Namespace)); err != nil {
		return false, fmt.Errorf("listing MachineHealthChecks in %s: %w", machine.Namespace, err)
	}
	return node.DeletionTimestamp.IsZero() && isHealthy(node, machine, checks.Items), nil
}

func isHealthy(node *corev1.Node, machine *machinev1.Machine, checks []machinev1.MachineHealthCheck) bool {
	status := map[corev1.NodeConditionType]corev1.ConditionStatus{}
	for _, c := range node.Status.Conditions {
		status[c.Type] = c.Status
	}
	if status[corev1.NodeReady] != corev1.ConditionTrue {
		return false
	}
	for i := range checks {
		selector, err := metav1.LabelSelectorAsSelector(&checks[i].Spec.Selector)
		if err != nil || !selector.Matches(labels.Set(machine.Labels)) {
			continue
		}
		for _, unhealthy := range checks[i].Spec.UnhealthyConditions {
			if status[unhealthy.Type] == unhealthy.Status {
				return false
			}
		}
	}
	return true
}
