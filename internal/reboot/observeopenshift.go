package reboot

import (
	"context"
	"fmt"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// machineFailed is the phase from which a Machine of OpenShift does not recover.
const machineFailed = "Failed"

// OpenShiftHealthy reports whether a Machine of OpenShift is healthy by its own health checks, which do not store a verdict. It is
// healthy if it has not failed, its Node is Ready, and no unhealthy condition of its MachineHealthChecks matches, however recently the
// condition began.
func OpenShiftHealthy(ctx context.Context, live client.Reader, machine *machinev1.Machine) (bool, error) {
	if machine.Status.NodeRef == nil || (machine.Status.Phase != nil && *machine.Status.Phase == machineFailed) {
		return false, nil
	}
	node := &corev1.Node{}
	err := live.Get(ctx, client.ObjectKey{Name: machine.Status.NodeRef.Name}, node)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("getting Node %s: %w", machine.Status.NodeRef.Name, err)
	}
	if !node.DeletionTimestamp.IsZero() || !cycle.Ready(node) {
		return false, nil
	}
	var checks machinev1.MachineHealthCheckList
	if err := live.List(ctx, &checks, client.InNamespace(machine.Namespace)); err != nil {
		return false, fmt.Errorf("listing MachineHealthChecks in %s: %w", machine.Namespace, err)
	}
	return !matchesAny(node, selecting(checks.Items, machine)), nil
}

// selecting returns the MachineHealthChecks of OpenShift that select a Machine.
func selecting(checks []machinev1.MachineHealthCheck, machine client.Object) []*machinev1.MachineHealthCheck {
	var selected []*machinev1.MachineHealthCheck
	for i := range checks {
		selector, err := metav1.LabelSelectorAsSelector(&checks[i].Spec.Selector)
		if err == nil && selector.Matches(labels.Set(machine.GetLabels())) {
			selected = append(selected, &checks[i])
		}
	}
	return selected
}

// matchesAny reports whether a condition of a Node matches an unhealthy condition of one of its Machine's MachineHealthChecks.
func matchesAny(node *corev1.Node, checks []*machinev1.MachineHealthCheck) bool {
	status := map[corev1.NodeConditionType]corev1.ConditionStatus{}
	for _, c := range node.Status.Conditions {
		status[c.Type] = c.Status
	}
	for _, check := range checks {
		for _, unhealthy := range check.Spec.UnhealthyConditions {
			if status[unhealthy.Type] == unhealthy.Status {
				return true
			}
		}
	}
	return false
}

// judgeOpenShift reads whether a Machine of OpenShift has recovered, in phases that end when it does. If it cannot be read, the Machine
// has not recovered.
func (r *Reconciler) judgeOpenShift(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) {
	of, ok := m.object.(*machinev1.Machine)
	if !ok || !byHealthCheck(request, of) || !cycle.Recovers(request.Status.Phase) {
		return
	}
	healthy, err := OpenShiftHealthy(ctx, r.Live, of)
	if err != nil {
		r.reportFailure(request, readHealth, err)
		return
	}
	r.failures.Succeed(client.ObjectKeyFromObject(request), readHealth)
	m.healthy = healthy
}
