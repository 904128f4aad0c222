package bundle

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/workload"
)

// nodes holds the answers of workload clusters. If it has a source, it asks there, once for each Node.
type nodes struct {
	source workload.Nodes

	mu      sync.Mutex
	answers map[client.ObjectKey]map[string]Node
	seen    map[client.ObjectKey]time.Time
}

func newNodes(source workload.Nodes) *nodes {
	return &nodes{source: source, answers: map[client.ObjectKey]map[string]Node{}, seen: map[client.ObjectKey]time.Time{}}
}

// Get implements workload.Nodes.
func (n *nodes) Get(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	answer, known := n.answers[cluster][name]
	if !known && n.source != nil {
		answer = answerOf(n.source.Get(ctx, cluster, name))
		answer.Name = name
		if n.answers[cluster] == nil {
			n.answers[cluster] = map[string]Node{}
		}
		n.answers[cluster][name] = answer
	}
	if answer.Name == "" {
		answer = Node{Name: name, Gone: true}
	}
	return answer.node()
}

// GetLive implements workload.Nodes. Nothing acts on a bundle, so it is the same as Get.
func (n *nodes) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	return n.Get(ctx, cluster, name)
}

// LastSeen implements workload.Nodes.
func (n *nodes) LastSeen(ctx context.Context, cluster client.ObjectKey) time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, known := n.seen[cluster]; !known && n.source != nil {
		n.seen[cluster] = n.source.LastSeen(ctx, cluster).Round(0).UTC()
	}
	return n.seen[cluster]
}

func answerOf(node *corev1.Node, err error) Node {
	cause, unreadable := workload.Unreadable(err)
	switch {
	case unreadable:
		return Node{Unreadable: cause}
	case apierrors.IsNotFound(err):
		return Node{Gone: true}
	case err != nil:
		return Node{Error: err.Error()}
	}
	answer := Node{Boot: node.Status.NodeInfo.BootID, Metadata: metav1.ObjectMeta{
		UID: node.UID, CreationTimestamp: node.CreationTimestamp, DeletionTimestamp: node.DeletionTimestamp,
	}}
	for _, c := range node.Status.Conditions {
		answer.Conditions = append(answer.Conditions, Condition{string(c.Type), string(c.Status), c.LastTransitionTime, c.LastHeartbeatTime, c.Reason, c.Message})
	}
	return answer
}

// node returns the stored answer.
func (n Node) node() (*corev1.Node, error) {
	switch {
	case n.Unreadable != "":
		return nil, &workload.UnreadableError{Cause: n.Unreadable}
	case n.Gone:
		return nil, apierrors.NewNotFound(corev1.Resource("nodes"), n.Name)
	case n.Error != "":
		return nil, errors.New(n.Error)
	}
	node := &corev1.Node{ObjectMeta: n.Metadata}
	node.Name, node.Status.NodeInfo.BootID = n.Name, n.Boot
	for _, c := range n.Conditions {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
			Type: corev1.NodeConditionType(c.Type), Status: corev1.ConditionStatus(c.Status), LastTransitionTime: c.Since, LastHeartbeatTime: c.Heard,
			Reason: c.Reason, Message: c.Message,
		})
	}
	return node, nil
}

// written returns the answers, in the order of clusters and names.
func (n *nodes) written() []Workload {
	var all []Workload
	for _, key := range sorted(n.answers) {
		one := Workload{Namespace: key.Namespace, Name: key.Name}
		if seen, known := n.seen[key]; known {
			one.LastSeen = &seen
		}
		for _, name := range slices.Sorted(maps.Keys(n.answers[key])) {
			one.Nodes = append(one.Nodes, n.answers[key][name])
		}
		all = append(all, one)
	}
	return all
}

// nodesOf returns the answers in a bundle.
func nodesOf(all []Workload) *nodes {
	n := newNodes(nil)
	for _, one := range all {
		key := client.ObjectKey{Namespace: one.Namespace, Name: one.Name}
		n.answers[key] = map[string]Node{}
		for _, node := range one.Nodes {
			n.answers[key][node.Name] = node
		}
		if one.LastSeen != nil {
			n.seen[key] = *one.LastSeen
		}
	}
	return n
}
