package worker

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// machineDeployment has the fields of machine.sapcloud.io/v1alpha1 that the checks read.
type machineDeployment struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Replicas int32 `json:"replicas"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration int64              `json:"observedGeneration"`
		Conditions         []metav1.Condition `json:"conditions"`
		FailedMachines     []struct {
			Name          string `json:"name"`
			LastOperation struct {
				Description string `json:"description"`
			} `json:"lastOperation"`
		} `json:"failedMachines"`
	} `json:"status"`
}

// desired returns how many machines are wanted.
func (d machineDeployment) desired() int {
	if d.Metadata.DeletionTimestamp != nil {
		return 0
	}
	return int(d.Spec.Replicas)
}

func list(ctx context.Context, c client.Client, namespace string) ([]machineDeployment, error) {
	found := &unstructured.UnstructuredList{}
	found.SetGroupVersionKind(schema.GroupVersionKind{Group: "machine.sapcloud.io", Version: "v1alpha1", Kind: "MachineDeploymentList"})
	if err := c.List(ctx, found, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("unable to check nodes. Failed to list machine deployments in namespace %q: %w", namespace, err)
	}
	deployments := make([]machineDeployment, len(found.Items))
	for i := range found.Items {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Items[i].Object, &deployments[i]); err != nil {
			return nil, fmt.Errorf("unable to check nodes. Failed to read machine deployment %q: %w", found.Items[i].GetName(), err)
		}
	}
	// A cache has no order, and the message names the first one with a problem.
	slices.SortFunc(deployments, func(a, b machineDeployment) int { return cmp.Compare(a.Metadata.Name, b.Metadata.Name) })
	return deployments, nil
}

// judge returns the first problem: failed machines come before deployments.
func judge(deployments []machineDeployment) *gardener.SingleCheckResult {
	for _, d := range deployments {
		for _, machine := range d.Status.FailedMachines {
			return unhealthy("MachineFailed", "machine %q failed: %s", machine.Name, machine.LastOperation.Description)
		}
	}
	for _, d := range deployments {
		if trouble := d.trouble(); trouble != "" {
			return unhealthy("MachineDeploymentUnhealthy", "machine deployment %q in namespace %q is unhealthy: %s",
				d.Metadata.Name, d.Metadata.Namespace, trouble)
		}
	}
	return &gardener.SingleCheckResult{Status: gardencorev1beta1.ConditionTrue}
}

func unhealthy(reason, format string, args ...any) *gardener.SingleCheckResult {
	return &gardener.SingleCheckResult{
		Status: gardencorev1beta1.ConditionFalse, Reason: reason, Detail: fmt.Sprintf(format, args...),
	}
}

// trouble returns what is wrong with a MachineDeployment, by the rule of Gardener.
func (d machineDeployment) trouble() string {
	if d.Status.ObservedGeneration < d.Metadata.Generation {
		return fmt.Sprintf("observed generation outdated (%d/%d)", d.Status.ObservedGeneration, d.Metadata.Generation)
	}
	for _, demand := range []struct {
		conditionType string
		status        metav1.ConditionStatus
		required      bool
	}{
		{"Available", metav1.ConditionTrue, true},
		{"Progressing", metav1.ConditionTrue, false},
		{"ReplicaFailure", metav1.ConditionFalse, false},
		{"Frozen", metav1.ConditionFalse, false},
	} {
		found := false
		for _, c := range d.Status.Conditions {
			if c.Type != demand.conditionType {
				continue
			}
			if found = true; c.Status != demand.status {
				return fmt.Sprintf("%s (%s)", c.Message, c.Reason)
			}
		}
		if demand.required && !found {
			return fmt.Sprintf("condition %q is missing", demand.conditionType)
		}
	}
	return ""
}
