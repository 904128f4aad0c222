package hangs

import (
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// stages are the conditions of a Machine's start, in the order of the stages that they are about, with their names before v1beta2.
var stages = []struct {
	is, was string
}{
	{clusterv1.MachineBootstrapConfigReadyCondition, string(clusterv1.BootstrapReadyV1Beta1Condition)},
	{clusterv1.MachineInfrastructureReadyCondition, string(clusterv1.InfrastructureReadyV1Beta1Condition)},
	{clusterv1.MachineNodeHealthyCondition, string(clusterv1.MachineNodeHealthyV1Beta1Condition)},
}

// Start returns what the own conditions of a Machine without a Node say about the stages that it has not passed, the first one first; nothing if it
// has a Node, is being deleted, or says nothing.
func Start(machine *clusterv1.Machine) []Says {
	if machine.Status.NodeRef.IsDefined() || !machine.DeletionTimestamp.IsZero() {
		return nil
	}
	var all []Says
	for _, stage := range stages {
		says := stageOf(machine, stage.is, stage.was)
		if !says.open() {
			continue
		}
		// Without infrastructure there is no Node: that it waits for one says nothing more.
		if len(all) > 0 && stage.is == clusterv1.MachineNodeHealthyCondition && (says.Text == "" || strings.HasPrefix(says.Text, "Waiting for ")) {
			continue
		}
		all = append(all, says)
	}
	return all
}

// stageOf returns what a Machine says about a stage: the deprecated condition where it says more.
func stageOf(machine *clusterv1.Machine, is, was string) Says {
	says, found := condition(machine, is)
	if found && (!says.open() || !says.empty()) {
		return says
	}
	older, had := deprecated(machine, was)
	switch {
	case !found:
		return older
	case had && older.open() && !older.empty():
		says.Reason, says.Text = older.Reason, older.Text
	case had && older.open() && plain[says.Reason]:
		says.Reason = older.Reason
	}
	return says
}

// StartWords quotes what the own conditions of a Machine say about its start, without times; empty if they say nothing.
func StartWords(machine *clusterv1.Machine) string {
	var parts []string
	for _, says := range Start(machine) {
		parts = append(parts, says.Words())
	}
	return strings.Join(parts, "; ")
}

// WaitsForNode reports whether a Machine says that all it lacks is a Node with its provider ID.
func WaitsForNode(machine *clusterv1.Machine) bool {
	all := Start(machine)
	return len(all) == 1 && all[0].Type == clusterv1.MachineNodeHealthyCondition && (machine.Status.Initialization.InfrastructureProvisioned != nil &&
		*machine.Status.Initialization.InfrastructureProvisioned || strings.Contains(strings.ToLower(all[0].Text), "providerid"))
}
