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
	// silence is after how long without a heartbeat a Node is called Unknown. Kubernetes takes 40 s.
	silence = 2 * time.Second
	// glance bounds the last look of a host at its Node.
	glance = 5 * time.Second
)

// watchKubelets is what Kubernetes' node controller does: it calls Nodes Unknown whose kubelets are silent.
func (m *Metal) watchKubelets(ctx context.Context) {
	for pause(ctx, heartbeat) {
		for _, host := range m.silent() {
			written, err := m.lose(ctx, host)
			if err == nil {
				m.mu.Lock()
				s := m.system(host)
				// A heartbeat may have come while it was written. Then the kubelet has to take it back.
				s.lost = s.lost || written || time.Since(s.heard) > silence
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
		if s.joined && !s.lost && time.Since(s.heard) > silence {
			silent = append(silent, host)
		}
	}
	return silent
}

// lose calls a Node Unknown, and reports whether it did. A kubelet is heard of before it writes, so one that comes back
// meanwhile has the last word.
func (m *Metal) lose(ctx context.Context, host client.ObjectKey) (written bool, err error) {
	node := &corev1.Node{}
	if err := m.client.Get(ctx, client.ObjectKey{Name: host.Name}, node); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	m.mu.Lock()
	back := time.Since(m.system(host).heard) < silence
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

// lastLook is taken when the host is about to lose its power; it does not before this returns.
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

// see returns which Node of the host there is; none if it is empty.
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
