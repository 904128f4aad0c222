package metal

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

// heartbeat is the interval of a kubelet's heartbeats. Like the Leases of Kubernetes, they do not write the Node.
const heartbeat = 100 * time.Millisecond

// Boots returns the program that runs on a host from the moment it has power. After the startup time, its kubelet registers a
// Node with the host's name, and then sends heartbeats.
func (m *Metal) Boots(startup time.Duration) baremetal.Program {
	return func(ctx context.Context, boot baremetal.Boot) {
		host := client.ObjectKey{Namespace: boot.Namespace, Name: boot.Name}
		m.firstLook(ctx, host)
		defer m.lastLook(ctx, host)
		for up := pause(ctx, startup); up && (m.hangs(host, boot) || m.register(ctx, host, boot) != nil); {
			up = pause(ctx, heartbeat)
		}
		for pause(ctx, heartbeat) {
			if !m.hangs(host, boot) && m.beats(host) {
				// A failure is visible: the Node stays Unknown.
				_ = m.register(ctx, host, boot)
			}
		}
	}
}

// register creates the Node if it does not exist, and sets its boot ID and Ready.
func (m *Metal) register(ctx context.Context, host client.ObjectKey, boot baremetal.Boot) error {
	m.reported(host, false)
	node := &corev1.Node{}
	err := m.client.Get(ctx, client.ObjectKey{Name: host.Name}, node)
	if apierrors.IsNotFound(err) {
		node = newNode(host)
		err = m.client.Create(ctx, node)
	}
	if err == nil {
		node.Status.NodeInfo.BootID = boot.ID
		reports(node, corev1.NodeCondition{Status: corev1.ConditionTrue, Reason: "KubeletReady"})
		err = m.client.Status().Update(ctx, node)
	}
	if err != nil {
		m.reported(host, true)
		return fmt.Errorf("registering Node %s: %w", host.Name, err)
	}
	return nil
}

// newNode returns a Node as a kubelet registers it under Cluster API's kubeadm configuration.
func newNode(host client.ObjectKey) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: host.Name, Labels: map[string]string{corev1.LabelHostname: host.Name}},
		Spec:       corev1.NodeSpec{ProviderID: providerID(host), Taints: []corev1.Taint{clusterv1.NodeUninitializedTaint}},
	}
}

const providerPrefix = "metal3://"

func providerID(host client.ObjectKey) string { return providerPrefix + host.String() }

// pressures are the conditions that a kubelet reports besides Ready. Cluster API needs them to call a Machine available.
var pressures = []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure}

// reports sets all conditions of a Node. If the kubelet is ready, there is no pressure; if it is silent, all of them are
// Unknown.
func reports(node *corev1.Node, ready corev1.NodeCondition) {
	now := metav1.Now()
	ready.Type, ready.LastHeartbeatTime, ready.LastTransitionTime = corev1.NodeReady, now, now
	node.Status.Conditions = []corev1.NodeCondition{ready}
	for _, pressure := range pressures {
		condition := ready
		condition.Type = pressure
		if ready.Status == corev1.ConditionTrue {
			condition.Status, condition.Reason = corev1.ConditionFalse, "KubeletHasNoPressure"
		}
		node.Status.Conditions = append(node.Status.Conditions, condition)
	}
}

// reported records that a kubelet was active just now, and whether its Node is still Unknown.
func (m *Metal) reported(host client.ObjectKey, lost bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.system(host)
	s.joined, s.lastReport, s.lost = true, time.Now(), lost
}

// beats records a heartbeat. It reports whether the Node was lost before.
func (m *Metal) beats(host client.ObjectKey) (lost bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.system(host)
	s.lastReport = time.Now()
	return s.lost
}

func (m *Metal) hangs(host client.ObjectKey, boot baremetal.Boot) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.system(host)
	return s.always || s.hung == boot.ID
}

// pause waits for d. It returns false if the context ends first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
