package cycle_test

import (
	"context"
	"time"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

// beatPeriod is the interval of a kubelet's heartbeats.
const beatPeriod = 10 * time.Second

// kubelet returns what runs on a machine: it registers the Node, or sets the boot ID of an existing one, and then sends
// heartbeats. A machine that does not join has no kubelet.
func (m *machine) kubelet(joins bool) baremetal.Program {
	return func(ctx context.Context, boot baremetal.Boot) {
		for joins && ctx.Err() == nil && m.register(ctx, boot) != nil {
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
		}
		for joins && ctx.Err() == nil {
			timer := m.time.NewTimer(beatPeriod)
			select {
			case <-ctx.Done():
			case <-timer.C():
				// If one beat fails, the next one makes up for it.
				_ = m.beat(ctx)
			}
			timer.Stop()
		}
	}
}

// beat sends a heartbeat. It does not bring back a deleted Node.
func (m *machine) beat(ctx context.Context) error {
	node := &corev1.Node{}
	if err := m.client.Get(ctx, client.ObjectKey{Name: m.nodeName()}, node); err != nil {
		return err
	}
	for i := range node.Status.Conditions {
		node.Status.Conditions[i].LastHeartbeatTime = metav1.NewTime(m.time.Now())
	}
	return m.client.Status().Update(ctx, node)
}

func (m *machine) register(ctx context.Context, boot baremetal.Boot) error {
	node := &corev1.Node{}
	err := m.client.Get(ctx, client.ObjectKey{Name: m.nodeName()}, node)
	if apierrors.IsNotFound(err) {
		node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: m.nodeName(), Labels: map[string]string{corev1.LabelHostname: m.name}}}
		err = m.client.Create(ctx, node)
	}
	if err != nil {
		return err
	}
	now := metav1.NewTime(m.time.Now())
	node.Status.NodeInfo.BootID = boot.ID
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: now, LastTransitionTime: now}}
	if err := m.client.Status().Update(ctx, node); err != nil {
		return err
	}
	return m.meet(ctx)
}

// meet does the job of the Machine controller when a Node has joined: it writes the Node into the Machine.
func (m *machine) meet(ctx context.Context) error {
	obj := m.empty()
	if err := m.client.Get(ctx, m.key(), obj); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := obj.DeepCopyObject().(client.Object)
	switch o := obj.(type) {
	case *clusterv1.Machine:
		o.Status.NodeRef = clusterv1.MachineNodeReference{Name: m.nodeName()}
		o.Status.NodeInfo = &corev1.NodeSystemInfo{BootID: m.BootID()}
	case *machinev1.Machine:
		o.Status.NodeRef = &corev1.ObjectReference{Kind: "Node", Name: m.nodeName()}
		o.Status.LastUpdated = new(metav1.NewTime(m.time.Now()))
	}
	return m.client.Status().Patch(ctx, obj, client.MergeFrom(before))
}

// findNode returns the Node, or nil if there is none.
func (m *machine) findNode() *corev1.Node {
	m.Helper()
	node := &corev1.Node{}
	err := m.client.Get(m.ctx, client.ObjectKey{Name: m.nodeName()}, node)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		m.Fatal(err)
	}
	return node
}

var nodeTaint = corev1.Taint{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule}

// decorate puts labels, annotations and taints on the Node, as people and programs do.
func (m *machine) decorate() {
	m.Helper()
	m.change(m.findNode(), func(o client.Object) {
		node := o.(*corev1.Node)
		metav1.SetMetaDataLabel(&node.ObjectMeta, "team", "a")
		metav1.SetMetaDataLabel(&node.ObjectMeta, "rack", "7")
		metav1.SetMetaDataAnnotation(&node.ObjectMeta, "note", "keep me")
		node.Spec.Taints = append(node.Spec.Taints, nodeTaint)
		node.Spec.Unschedulable = true
	})
}

// mustHaveAll fails unless the Node has again everything that decorate put on it.
func (m *machine) mustHaveAll() {
	m.Helper()
	node := m.findNode()
	if node == nil {
		m.Error("there is no Node")
		return
	}
	tainted := false
	for _, t := range node.Spec.Taints {
		tainted = tainted || t == nodeTaint
		if t.Key == corev1.TaintNodeOutOfService {
			m.Error("the Node is still out of service")
		}
	}
	if node.Labels["team"] != "a" || node.Labels["rack"] != "7" || node.Annotations["note"] != "keep me" || !tainted || !node.Spec.Unschedulable {
		m.Errorf("the Node came back as %v, %v, %+v", node.Labels, node.Annotations, node.Spec)
	}
	if node.Status.NodeInfo.BootID != m.BootID() {
		m.Errorf("the Node says that it is of boot %s, want %s", node.Status.NodeInfo.BootID, m.BootID())
	}
}
