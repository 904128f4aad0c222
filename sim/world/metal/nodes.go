package metal

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// silence is the time without a heartbeat after which a Node becomes Unknown. Kubernetes takes 40 s.
	silence = 2 * time.Second
	// glance bounds a host's last look at its Node.
	glance = 5 * time.Second
)

// watchKubelets does the job of Kubernetes' node controller: it sets Nodes to Unknown whose kubelets are silent.
func (m *Metal) watchKubelets(ctx context.Context) {
	for pause(ctx, heartbeat) {
		for _, host := range m.silent() {
			written, err := m.lose(ctx, host)
			if err == nil {
				m.mu.Lock()
				s := m.system(host)
				// If a heartbeat came during the write, the kubelet must correct the Node.
				s.lost = s.lost || written || time.Since(s.lastReport) > silence
				m.mu.Unlock()
			}
		}
	}
}

func (m *Metal) silent() []client.ObjectKey {
	m.mu.Lock()
	defer m.mu.Unlock()
	var silent []client.ObjectKey
	for host, s := range m.systems {
		if s.joined && !s.lost && time.Since(s.lastReport) > silence {
			silent = append(silent, host)
		}
	}
	return silent
}

// lose sets a Node to Unknown, and reports whether it did. A kubelet records its heartbeat before it writes, so a
// kubelet that comes back meanwhile has the last word.
func (m *Metal) lose(ctx context.Context, host client.ObjectKey) (written bool, err error) {
	node := &corev1.Node{}
	if err := m.client.Get(ctx, client.ObjectKey{Name: host.Name}, node); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	m.mu.Lock()
	back := time.Since(m.system(host).lastReport) < silence
	m.mu.Unlock()
	if back {
		return false, nil
	}
	reports(node, corev1.NodeCondition{Status: corev1.ConditionUnknown, Reason: "NodeStatusUnknown", Message: "Kubelet stopped posting node status."})
	err = m.client.Status().Update(ctx, node)
	return err == nil, err
}

func (m *Metal) firstLook(ctx context.Context, host client.ObjectKey) {
	uid, err := m.see(ctx, host)
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.system(host)
	s.views = append(s.views, View{First: uid, Err: err})
}

// lastLook records the host's Node just before the host loses power. The power stays on until lastLook returns.
func (m *Metal) lastLook(ctx context.Context, host client.ObjectKey) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), glance)
	defer cancel()
	uid, err := m.see(ctx, host)
	m.mu.Lock()
	defer m.mu.Unlock()
	view := &m.system(host).views[len(m.system(host).views)-1]
	view.Last = uid
	if err != nil {
		view.Err = err
	}
}

// see returns the UID of the host's Node, or nothing if there is none.
func (m *Metal) see(ctx context.Context, host client.ObjectKey) (types.UID, error) {
	node := &corev1.Node{}
	err := m.client.Get(ctx, client.ObjectKey{Name: host.Name}, node)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("looking for Node %s: %w", host.Name, err)
	}
	return node.UID, nil
}
