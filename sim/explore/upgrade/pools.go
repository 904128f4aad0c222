package upgrade

import (
	"fmt"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// OpenShift's MachineHealthCheck and its one machine, which another controller looks after.
const (
	OpenShiftCheck = "openshift"
	Worker         = "worker"
)

const machinesInPool = 2

func pool() *mcfgv1.MachineConfigPool {
	p := &mcfgv1.MachineConfigPool{ObjectMeta: objectMeta(kinds.Pool, pause.WorkerPool)}
	p.Spec.Configuration.Name, p.Status.Configuration.Name = "rendered-0", "rendered-0"
	p.Status.MachineCount, p.Status.UpdatedMachineCount = machinesInPool, machinesInPool
	return p
}

func openshiftCheck() client.Object { return ofOpenShift(kinds.OpenShiftCheck, OpenShiftCheck) }

func openshiftMachine() client.Object { return ofOpenShift(kinds.OpenShiftMachine, Worker) }

func ofOpenShift(kind schema.GroupVersionKind, name string) client.Object {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
	u.SetGroupVersionKind(kind)
	u.SetNamespace(kinds.Namespace)
	u.SetName(name)
	return u
}

func openshiftNode() *corev1.Node {
	node := &corev1.Node{ObjectMeta: objectMeta(kinds.Node, Worker)}
	node.Annotations = map[string]string{pause.MachineOfNode: kinds.InNamespace(Worker).String()}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return node
}

// Pools returns what OpenShift's pool of workers can do next, a person who pauses it, and the Node of its machine.
func (s Scene) Pools() []Act {
	p := s.Find(kinds.Pool, pause.WorkerPool).(*mcfgv1.MachineConfigPool)
	var acts []Act
	if Behind(p) {
		acts = append(acts, Act{"one more machine of the pool is updated", func() { s.updatePool(p.Status.UpdatedMachineCount + 1) }})
	} else {
		acts = append(acts, Act{"the pool gets another configuration", func() {
			spec(s, kinds.Pool, p.Name, func(p *mcfgv1.MachineConfigPool) {
				p.Spec.Configuration.Name = fmt.Sprintf("rendered-%d", s.Now.Unix())
			})
			status(s, kinds.Pool, p.Name, func(p *mcfgv1.MachineConfigPool) { p.Status.UpdatedMachineCount = 0 })
		}})
	}
	acts = append(acts, Act{fmt.Sprintf("a person sets paused of the pool to %t", !p.Spec.Paused), func() { s.pausePool(!p.Spec.Paused) }})
	for _, ready := range []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse} {
		if node := s.Find(kinds.Node, Worker).(*corev1.Node); node.Status.Conditions[0].Status != ready {
			acts = append(acts, Act{fmt.Sprintf("Ready of the worker becomes %s", ready), func() {
				status(s, kinds.Node, Worker, func(node *corev1.Node) {
					node.Status.Conditions[0].Status, node.Status.Conditions[0].LastTransitionTime = ready, metav1.NewTime(s.Now)
				})
			}})
		}
	}
	return acts
}

// Behind reports whether machines of a pool do not have its configuration yet.
func Behind(p *mcfgv1.MachineConfigPool) bool {
	return p.Spec.Configuration.Name != p.Status.Configuration.Name
}

func (s Scene) updatePool(updated int32) {
	status(s, kinds.Pool, pause.WorkerPool, func(p *mcfgv1.MachineConfigPool) {
		if p.Status.UpdatedMachineCount = updated; updated >= machinesInPool {
			p.Status.Configuration.Name = p.Spec.Configuration.Name
		}
	})
}

func (s Scene) pausePool(yes bool) {
	spec(s, kinds.Pool, pause.WorkerPool, func(p *mcfgv1.MachineConfigPool) { p.Spec.Paused = yes })
}
