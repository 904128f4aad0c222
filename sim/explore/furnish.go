package explore

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// sickAfter is how long a Node may be not ready.
const sickAfter = time.Minute

// furnish makes everything that is there at the beginning.
func (w *world) furnish() {
	w.put(build.Cluster(namespace, clusterName))
	if w.spec.Owner != OwnerNone {
		w.put(build.MachineSet(namespace, "set", build.Replicas(int32(w.spec.Machines))))
	}
	w.put(build.RemediationTemplate(templateKind, namespace, "fix", map[string]any{}))
	if w.spec.Plan != nil {
		plan := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "plan"}}
		plan.Spec.Template.Spec = *w.spec.Plan.DeepCopy()
		w.put(plan)
	}
	w.put(w.healthCheck())
	for i := range w.spec.Machines {
		w.makeMachine(i < w.spec.Sick)
	}
	w.leaveOver()
}

// healthCheck is the MachineHealthCheck of a world.
func (w *world) healthCheck() *clusterv1.MachineHealthCheck {
	s := w.spec
	options := []build.MachineHealthCheckOption{
		build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, sickAfter),
		build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionUnknown, sickAfter),
		build.NodeStartupTimeout(10 * time.Minute),
		build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) {
			mhc.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo = s.AtMost
			mhc.Spec.Remediation.TriggerIf.UnhealthyInRange = s.InRange
			if s.Slots > 0 && s.Plan == nil {
				build.Annotation(admission.MaxInFlightAnnotation, strconv.Itoa(s.Slots))(mhc)
			}
			if s.Reboot {
				build.Annotation(admission.StrategyAnnotation, string(admission.StrategyReboot))(mhc)
			}
		}),
	}
	switch {
	case s.Plan != nil:
		options = append(options, build.TemplateRef(planKind, "plan"))
	case s.Request:
		options = append(options, build.TemplateRef(templateKind, "fix"))
	}
	return build.MachineHealthCheck(namespace, checkName, options...)
}

// makeMachine makes a Machine with its Node.
func (w *world) makeMachine(sick bool) {
	name := w.newMachine()
	w.giveNode(name, sick)
}

// newMachine makes a Machine that waits for its Node.
func (w *world) newMachine() string {
	w.made++
	name := fmt.Sprintf("m%d", w.made)
	options := []build.MachineOption{build.Finalizer(clusterv1.MachineFinalizer)}
	if w.spec.Owner != OwnerNone {
		options = append(options, build.OwnedBy(latest[*clusterv1.MachineSet](w, machineSetKind, "set")))
	}
	w.put(build.Machine(namespace, name, options...))
	return name
}

// giveNode has a Machine start.
func (w *world) giveNode(name string, sick bool) {
	w.nodeIs(name, !sick)
	update(w, machineKind, name, true, func(m *clusterv1.Machine) { build.NodeRef(nodeOf(name))(m) })
}

func nodeOf(machine string) string { return "node-" + machine }

// nodeIs makes a Node healthy or sick, since now.
func (w *world) nodeIs(machine string, healthy bool) {
	status := metav1.ConditionTrue
	if !healthy {
		status = metav1.ConditionFalse
	}
	node := build.Node(nodeOf(machine), build.NodeReady(status, w.clock.now))
	if latest[*corev1.Node](w, nodeKind, node.Name) == nil {
		w.put(node)
		return
	}
	update(w, nodeKind, node.Name, true, func(stored *corev1.Node) { stored.Status.Conditions = node.Status.Conditions })
}

// put creates an object with its status.
func (w *world) put(obj client.Object) {
	ctx := context.Background()
	built := obj.DeepCopyObject().(client.Object)
	w.must(w.admin.Create(ctx, obj))
	status := reflect.ValueOf(built).Elem().FieldByName("Status")
	if !status.IsValid() {
		return
	}
	reflect.ValueOf(obj).Elem().FieldByName("Status").Set(status)
	w.must(w.admin.Status().Update(ctx, obj))
}

// update changes an object, or its status, as somebody does who is no manager. What is gone stays so.
func update[T client.Object](w *world, kind schema.GroupVersionKind, name string, status bool, change func(T)) {
	key := inNamespace(name)
	if kind == nodeKind {
		key.Namespace = ""
	}
	stored := w.server.Latest(kind, key)
	if stored == nil {
		return
	}
	obj := stored.Typed().DeepCopyObject().(T)
	change(obj)
	before := w.writer
	w.writer = nil
	defer func() { w.writer = before }()
	if status {
		w.must(w.admin.Status().Update(context.Background(), obj))
		return
	}
	w.must(w.admin.Update(context.Background(), obj))
}

// must holds for writes that cannot fail: nobody else writes meanwhile.
func (w *world) must(err error) {
	if err != nil {
		panic(fmt.Sprintf("explore: in world %s: %v", w.spec.Name, err))
	}
}
