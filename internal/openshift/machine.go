// Package openshift turns a Machine of OpenShift into the values that rules about machines know: those of Cluster API. It belongs to the
// observers of intake and remediation; what they decide knows no API group.
package openshift

import (
	"context"
	"fmt"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/noderefutil"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// Kind is the kind of OpenShift's Machines.
var Kind = machinev1.GroupVersion.WithKind("Machine")

// failed is the phase from which a Machine does not recover.
const failed = "Failed"

// Find reads a Machine with its health; nil if there is none. Its health checks store no verdict, so the result has one made for it: True if it
// is healthy by them, and otherwise False.
func Find(ctx context.Context, live client.Reader, key client.ObjectKey) (*clusterv1.Machine, error) {
	machine, err := scaffold.Find(ctx, live, key, &machinev1.Machine{})
	if machine == nil || err != nil {
		return nil, err
	}
	healthy, err := Healthy(ctx, live, machine)
	if err != nil {
		return nil, err
	}
	return converted(machine, healthy), nil
}

// Copied reports whether a Machine is only the copy of one of Cluster API, with its annotations, or about to become one: OpenShift names the API that
// counts. What is asked for there is asked for once.
func Copied(ctx context.Context, live client.Reader, key client.ObjectKey) (bool, error) {
	machine, err := scaffold.Find(ctx, live, key, &machinev1.Machine{})
	if machine == nil || err != nil {
		return false, err
	}
	authority := machine.Status.AuthoritativeAPI
	return authority != "" && authority != machinev1.MachineAuthorityMachineAPI, nil
}

func converted(machine *machinev1.Machine, healthy bool) *clusterv1.Machine {
	same := &clusterv1.Machine{ObjectMeta: *machine.ObjectMeta.DeepCopy()}
	same.SetGroupVersionKind(Kind)
	if machine.Status.NodeRef != nil {
		same.Status.NodeRef.Name = machine.Status.NodeRef.Name
	}
	// Its host says that the Machine itself uses it.
	same.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: Kind.Group, Kind: Kind.Kind, Name: machine.Name}
	verdict := metav1.Condition{Type: clusterv1.MachineHealthCheckSucceededCondition, Status: metav1.ConditionFalse, Reason: "NotHealthy"}
	if healthy {
		verdict.Status, verdict.Reason = metav1.ConditionTrue, "Healthy"
	}
	meta.SetStatusCondition(&same.Status.Conditions, verdict)
	return same
}

// Healthy reports whether a Machine is healthy by its own health checks: it has not failed, its Node is Ready, and no unhealthy condition of its
// MachineHealthChecks matches, however recently the condition began.
func Healthy(ctx context.Context, live client.Reader, machine *machinev1.Machine) (bool, error) {
	if machine.Status.NodeRef == nil || (machine.Status.Phase != nil && *machine.Status.Phase == failed) {
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
	if !node.DeletionTimestamp.IsZero() || !noderefutil.IsNodeReady(node) {
		return false, nil
	}
	checks, err := selecting(ctx, live, machine)
	return err == nil && !matchesAny(node, checks), err
}

// Paused says which of the MachineHealthChecks of a Machine is paused or on hold; empty if none is. It is not known which one asked, so any pause
// counts. It also returns the objects whose holds count.
func Paused(ctx context.Context, live client.Reader, machine client.Object) (why string, on []client.Object, err error) {
	checks, err := selecting(ctx, live, machine)
	for _, check := range checks {
		if mhcspec.HasAnnotation(check, clusterv1.PausedAnnotation) {
			why = "MachineHealthCheck " + check.Name + " has the annotation " + clusterv1.PausedAnnotation
		}
		check.SetGroupVersionKind(machinev1.GroupVersion.WithKind("MachineHealthCheck"))
		on = append(on, check)
	}
	return why, on, err
}

// selecting returns the MachineHealthChecks that select a Machine.
func selecting(ctx context.Context, live client.Reader, machine client.Object) ([]*machinev1.MachineHealthCheck, error) {
	var all machinev1.MachineHealthCheckList
	if err := live.List(ctx, &all, client.InNamespace(machine.GetNamespace())); err != nil && !meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("listing MachineHealthChecks of OpenShift in %s: %w", machine.GetNamespace(), err)
	}
	var selected []*machinev1.MachineHealthCheck
	for i := range all.Items {
		selector, err := metav1.LabelSelectorAsSelector(&all.Items[i].Spec.Selector)
		if err == nil && selector.Matches(labels.Set(machine.GetLabels())) {
			selected = append(selected, &all.Items[i])
		}
	}
	return selected, nil
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
