package scenario

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Timeouts are short, to keep the demo short.
const (
	nodeTimeout    = 4 * time.Second
	machineTimeout = 3 * time.Second
	startupTimeout = 6 * time.Second
)

// All returns the scenarios, the longest first.
func All() []Scenario {
	all := slices.Concat(longest(), withPlans(), failing(), doubtful(), builtIn())
	for i := range all {
		all[i].Namespace = Namespace
	}
	return all
}

// longest returns the scenarios with waits that cannot be shortened.
func longest() []Scenario {
	return []Scenario{
		{
			Name: "upgrade-between", Title: "an upgrade begins between two reboots", Cluster: "bronze", BareMetal: true, Workers: 1, SpareHosts: 1,
			ClusterAnnotations: map[string]string{pauseOnUpgrade: "true"}, Others: []world.Pool{{Name: "others", Size: 1}},
			Health:    fromTemplate(unhealthyNode(nodeTimeout), "RebootRemediationTemplate", twiceName),
			Templates: []client.Object{impatient(twiceName)}, story: upgradeBetween,
		},
		{
			Name: "cut-off", Title: "a workload cluster cannot be reached", Cluster: "red", Workers: 1,
			Health: unhealthyNode(nodeTimeout), story: cutOff,
		},
	}
}

// builtIn returns the scenarios in which Sickbay follows a built-in plan.
func builtIn() []Scenario {
	return []Scenario{
		{
			Name: "paused", Title: "the cluster is paused", Cluster: "grey", Workers: 1,
			Health: unhealthyNode(nodeTimeout), story: paused,
		},
		{
			Name: "upgrade", Title: "the cluster upgrades", Cluster: "green", Workers: 1,
			ClusterAnnotations: map[string]string{pauseOnUpgrade: "true"}, Others: []world.Pool{{Name: "others", Size: 1}},
			Health: unhealthyNode(nodeTimeout), story: upgraded,
		},
		{
			Name: "host-hangs", Title: "a bare-metal host hangs", Cluster: "iron", BareMetal: true, Workers: 3,
			Health:    fromTemplate(unhealthyNode(nodeTimeout), "RebootRemediationTemplate", "reboot"),
			Templates: []client.Object{rebootTemplate("reboot")}, story: hostHangs,
		},
		{
			Name: "on-hold", Title: "somebody holds everything back", Cluster: "violet", Workers: 1,
			Health: unhealthyNode(nodeTimeout), story: onHold,
		},
		{
			Name: "never-joins", Title: "a new machine never joins", Cluster: "blue", Workers: 1,
			Health: checks(clusterv1.MachineHealthCheckChecks{NodeStartupTimeoutSeconds: new(int32(startupTimeout.Seconds()))}), story: neverJoins,
		},
		{
			Name: "short-circuit", Title: "too many are sick", Cluster: "blue", Workers: 3,
			Health: atMost(unhealthyNode(nodeTimeout), "40%"), story: shortCircuit,
		},
		{
			Name: "kubelet-stops", Title: "a kubelet stops", Cluster: "blue", Workers: 2,
			Health: unhealthyNode(nodeTimeout),
			story:  remediation{strike: stopKubelet, reason: "ReadyUnhealthy", timeout: nodeTimeout}.play,
		},
		{
			Name: "recovers", Title: "a node recovers before its deadline", Cluster: "blue", Workers: 1,
			Health: unhealthyNode(2 * nodeTimeout), story: recovers,
		},
		{
			Name: "machine-condition", Title: "a machine condition turns False", Cluster: "blue", Workers: 1,
			Health: checks(clusterv1.MachineHealthCheckChecks{UnhealthyMachineConditions: []clusterv1.UnhealthyMachineCondition{{
				Type: "DiskHealthy", Status: metav1.ConditionFalse, TimeoutSeconds: new(int32(machineTimeout.Seconds())),
			}}}),
			story: remediation{strike: failDisk, reason: "DiskHealthyUnhealthy", timeout: machineTimeout}.play,
		},
		{
			Name: "node-deleted", Title: "a Node object is deleted", Cluster: "blue", Workers: 1,
			Health: checks(clusterv1.MachineHealthCheckChecks{}),
			story:  remediation{strike: deleteNode, reason: "NodeNotFound"}.play,
		},
		{
			Name: "asked-for", Title: "somebody asks for remediation", Cluster: "blue", Workers: 1,
			Health: checks(clusterv1.MachineHealthCheckChecks{}),
			story:  remediation{strike: ask, reason: "HasRemediateMachineAnnotation"}.play,
		},
	}
}

// doubtful returns the scenarios in which not all health checks, or not all detectors, are to be followed.
func doubtful() []Scenario {
	return []Scenario{
		{
			Name: "two-checks", Title: "two checks, the older in dry-run", Cluster: "blue", Workers: 1,
			Health: unhealthyNode(nodeTimeout), Annotations: map[string]string{dryRun: "true"}, story: twoChecks,
		},
		{
			Name: "dead-detector", Title: "a detector accuses a node, and is dead", Cluster: "blue", Workers: 2,
			Health: gpuUnhealthy(nodeTimeout), Annotations: map[string]string{signals: "GpuHealthy: {silentAfter: 15m, maxShare: 60%}"}, story: deadDetector,
		},
	}
}

func stopKubelet(s *Stage, machine *clusterv1.Machine) fault.Fault {
	return fault.StopKubelet{Cluster: s.Key(), Node: machine.Status.NodeRef.Name}
}

func deleteNode(s *Stage, machine *clusterv1.Machine) fault.Fault {
	return fault.DeleteNode{Cluster: s.Key(), Node: machine.Status.NodeRef.Name}
}

func failDisk(_ *Stage, machine *clusterv1.Machine) fault.Fault {
	return fault.MachineCondition{Machine: client.ObjectKeyFromObject(machine), Type: "DiskHealthy", Status: metav1.ConditionFalse, Reason: "WriteErrors"}
}

func ask(_ *Stage, machine *clusterv1.Machine) fault.Fault {
	return fault.AskRemediation{Machine: client.ObjectKeyFromObject(machine)}
}

func checks(c clusterv1.MachineHealthCheckChecks) clusterv1.MachineHealthCheckSpec {
	return clusterv1.MachineHealthCheckSpec{Checks: c}
}

// unhealthyNode returns a check that finds a Node unhealthy after it has not been Ready for
// a while.
func unhealthyNode(timeout time.Duration) clusterv1.MachineHealthCheckSpec {
	seconds := new(int32(timeout.Seconds()))
	return checks(clusterv1.MachineHealthCheckChecks{UnhealthyNodeConditions: []clusterv1.UnhealthyNodeCondition{
		{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, TimeoutSeconds: seconds},
		{Type: corev1.NodeReady, Status: corev1.ConditionFalse, TimeoutSeconds: seconds},
	}})
}

// fromTemplate adds a reference to a template of one of Sickbay's kinds.
func fromTemplate(spec clusterv1.MachineHealthCheckSpec, kind, name string) clusterv1.MachineHealthCheckSpec {
	spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: kind, Name: name,
	}
	return spec
}

func rebootTemplate(name string) *v1alpha1.RebootRemediationTemplate {
	return &v1alpha1.RebootRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: name}}
}

func atMost(spec clusterv1.MachineHealthCheckSpec, limit string) clusterv1.MachineHealthCheckSpec {
	spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo = new(intstr.Parse(limit))
	return spec
}
