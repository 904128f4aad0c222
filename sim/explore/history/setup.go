package history

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/upgrade"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// SickAfter is how long a Node may be not ready before its machine is sick.
const SickAfter = time.Minute

// setUp creates everything that exists at the beginning.
func (w *World) setUp() {
	w.put(w.cluster())
	for _, obj := range upgrade.Objects(w.Spec) {
		w.put(obj)
	}
	if w.Spec.Owner != worlds.OwnerNone {
		w.put(w.machineSet())
	}
	switch w.Spec.Owner {
	case worlds.OwnerPool:
		w.put(&clusterv1.MachinePool{ObjectMeta: metav1.ObjectMeta{Namespace: kinds.Namespace, Name: "pool"}})
	case worlds.OwnerOld:
		w.put(newerRevision())
	default:
	}
	w.put(build.RemediationTemplate(kinds.Template, kinds.Namespace, "fix", map[string]any{}))
	if w.Spec.Plan != nil {
		plan := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: kinds.Namespace, Name: "plan"}}
		plan.Spec.Template.Spec = *w.Spec.Plan.DeepCopy()
		w.put(plan)
	}
	w.put(w.healthCheck(kinds.CheckName))
	if w.Spec.Has(worlds.Second) {
		w.put(w.healthCheck(kinds.SecondCheckName))
	}
	for i := range w.Spec.Machines {
		w.makeMachine(i < w.Spec.Sick)
	}
	w.detects()
}

func (w *World) cluster() *clusterv1.Cluster {
	if w.Spec.Has(worlds.Rollout) {
		return build.Cluster(kinds.Namespace, kinds.ClusterName, build.Annotation(mhcspec.PauseOnUpgradeAnnotation, "true"))
	}
	return build.Cluster(kinds.Namespace, kinds.ClusterName)
}

// machineSet returns the owner of the machines.
func (w *World) machineSet() *clusterv1.MachineSet {
	set := build.MachineSet(kinds.Namespace, "set", build.Replicas(int32(w.Spec.Machines)))
	if w.Spec.Autoscaled {
		build.Annotation("cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size", "1")(set)
	}
	switch w.Spec.Owner {
	case worlds.OwnerPaused:
		build.Annotation(clusterv1.PausedAnnotation, "")(set)
	case worlds.OwnerOld:
		build.Annotation(clusterv1.RevisionAnnotation, "1")(set)
		build.Label(clusterv1.MachineDeploymentNameLabel, "deployment")(set)
	default:
	}
	return set
}

// newerRevision returns a MachineDeployment that has left its MachineSet behind.
func newerRevision() *clusterv1.MachineDeployment {
	d := &clusterv1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: kinds.Namespace, Name: "deployment", Annotations: map[string]string{clusterv1.RevisionAnnotation: "2"},
	}}
	d.Spec.Rollout.Strategy.Type = clusterv1.OnDeleteMachineDeploymentStrategyType
	return d
}

// healthCheck returns a MachineHealthCheck of a world.
func (w *World) healthCheck(name string) *clusterv1.MachineHealthCheck {
	s := w.Spec
	options := []build.MachineHealthCheckOption{
		build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, SickAfter),
		build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionUnknown, SickAfter),
		build.NodeStartupTimeout(10 * time.Minute),
		build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) {
			mhc.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo = s.AtMost
			mhc.Spec.Remediation.TriggerIf.UnhealthyInRange = s.InRange
			if s.Slots > 0 && s.Plan == nil {
				build.Annotation(mhcspec.MaxInFlightAnnotation, strconv.Itoa(s.Slots))(mhc)
			}
			if s.Has(worlds.Signals) {
				build.UnhealthyNodeCondition(Gpu, corev1.ConditionFalse, SickAfter)(mhc)
				build.Annotation(mhcspec.SignalsAnnotation, trust)(mhc)
			}
			if s.Reboot {
				build.Annotation(mhcspec.StrategyAnnotation, string(mhcspec.StrategyReboot))(mhc)
			}
		}),
	}
	switch {
	case s.Plan != nil:
		options = append(options, build.TemplateRef(kinds.Plan, "plan"))
	case s.Request:
		options = append(options, build.TemplateRef(kinds.Template, "fix"))
	}
	return build.MachineHealthCheck(kinds.Namespace, name, options...)
}

// makeMachine creates a Machine with its Node.
func (w *World) makeMachine(sick bool) {
	name := w.newMachine()
	w.giveNode(name, sick)
}

// newMachine creates a Machine that waits for its Node.
func (w *World) newMachine() string {
	w.made++
	name := fmt.Sprintf("m%d", w.made)
	options := []build.MachineOption{build.Finalizer(clusterv1.MachineFinalizer)}
	switch w.Spec.Owner {
	case worlds.OwnerNone:
	case worlds.OwnerPool:
		options = append(options, build.ControlledBy(Latest[*clusterv1.MachinePool](w, kinds.MachinePool, "pool"), kinds.MachinePool))
	default:
		options = append(options, build.OwnedBy(Latest[*clusterv1.MachineSet](w, kinds.MachineSet, "set")))
	}
	if w.Spec.Metal() {
		options = append(options, build.MachineFunc(onMetal))
	}
	if w.Spec.ControlPlane {
		options = append(options, build.ControlPlane())
	}
	if w.Spec.Has(worlds.Rollout) {
		options = append(options, build.MachineFunc(w.scene().Join))
	}
	w.put(build.Machine(kinds.Namespace, name, options...))
	if w.Spec.Metal() {
		w.makeHost(name)
	}
	return name
}

// giveNode creates a Machine's Node.
func (w *World) giveNode(name string, sick bool) {
	w.nodeIs(name, !sick)
	update(w, kinds.Machine, name, true, func(m *clusterv1.Machine) { build.NodeRef(nodeOf(name))(m) })
}

const nodePrefix = "node-"

func nodeOf(machine string) string { return nodePrefix + machine }

func machineAt(node string) string { return strings.TrimPrefix(node, nodePrefix) }

// nodeIs makes a Node healthy or sick from now on.
func (w *World) nodeIs(machine string, healthy bool) {
	if healthy {
		w.nodeSays(machine, metav1.ConditionTrue)
		return
	}
	w.nodeSays(machine, metav1.ConditionFalse)
}

// nodeSays sets from now on whether a Node is Ready. It creates the Node if there is none.
func (w *World) nodeSays(machine string, ready metav1.ConditionStatus) {
	node := build.Node(nodeOf(machine), build.NodeReady(ready, w.clock.now))
	if w.Spec.Metal() && !w.machineJoined(machine) {
		putOnNode(node)
	}
	if Latest[*corev1.Node](w, kinds.Node, node.Name) == nil {
		w.put(node)
		return
	}
	update(w, kinds.Node, node.Name, true, func(stored *corev1.Node) { stored.Status.Conditions = node.Status.Conditions })
}

// machineJoined reports whether a Machine has had a Node before.
func (w *World) machineJoined(name string) bool {
	m := Latest[*clusterv1.Machine](w, kinds.Machine, name)
	return m != nil && m.Status.NodeRef.IsDefined()
}
