package history

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/workload"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// nodes are the Nodes of the workload cluster as a process reads them, and writes them by a client.
type nodes struct {
	p      *Process
	client client.Client
}

var (
	_ workload.Nodes  = nodes{}
	_ workload.Writer = nodes{}
)

// Get implements workload.Nodes.
func (n nodes) Get(ctx context.Context, _ client.ObjectKey, name string) (*corev1.Node, error) {
	return n.read(ctx, n.p.client, name)
}

// GetLive implements workload.Nodes.
func (n nodes) GetLive(ctx context.Context, _ client.ObjectKey, name string) (*corev1.Node, error) {
	return n.read(ctx, n.p.client.Live(), name)
}

func (n nodes) read(ctx context.Context, reader client.Reader, name string) (*corev1.Node, error) {
	node := &corev1.Node{}
	err := reader.Get(ctx, client.ObjectKey{Name: name}, node)
	if n.p.World.Unreadable || err == errNoAnswer { //nolint:errorlint // it is never wrapped
		return nil, n.lost()
	}
	n.p.World.hears(node)
	return node, err
}

// Client implements workload.Writer.
func (n nodes) Client(context.Context, client.ObjectKey) (client.Client, error) {
	if n.p.World.Unreadable {
		return nil, n.lost()
	}
	return workloadCluster{n.client, n.p.client.Live()}, nil
}

// Version implements workload.Writer.
func (n nodes) Version(context.Context, client.ObjectKey) (*version.Info, error) {
	if n.p.World.Unreadable {
		return nil, n.lost()
	}
	return &version.Info{Major: "1", Minor: "34"}, nil
}

func (nodes) lost() error {
	return &workload.UnreadableError{Cause: "connection to the workload cluster is down"}
}

// workloadCluster is a client of the workload cluster, which has only Nodes. It reads past the cache.
type workloadCluster struct {
	client.Client
	live client.Reader
}

// Get implements client.Reader.
func (c workloadCluster) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if _, ok := obj.(*corev1.Node); !ok {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	return c.live.Get(ctx, key, obj, opts...)
}

// List implements client.Reader.
func (workloadCluster) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return nil
}

// LastSeen implements workload.Nodes.
func (n nodes) LastSeen(context.Context, client.ObjectKey) time.Time {
	if n.p.World.Unreadable {
		return n.p.World.lostAt
	}
	return n.p.World.clock.now
}

// hears adds to a Node as it was read that its kubelet and its detector have just reported.
func (w *World) hears(node *corev1.Node) {
	w.reports(node)
	if machine := machineAt(node.Name); !w.Spec.Metal() || !w.running(machine) {
		return
	}
	for i := range node.Status.Conditions {
		node.Status.Conditions[i].LastHeartbeatTime = metav1.NewTime(w.clock.now)
	}
}

// Gpu is the type of the condition that detectors set.
const Gpu corev1.NodeConditionType = "GpuHealthy"

const (
	// trust are the settings of the MachineHealthCheck where there are detectors.
	trust = "GpuHealthy: {silentAfter: 10m, clock: FirstSeen}"
	// broken is the reason of a condition that is True in earnest, and stale that of one whose detector is gone.
	broken, stale = "Broken", "Stale"
	restless      = "m1"
	deserted      = "m2"
)

// GpuBroken reports whether a Node has a condition that is False, and whose detector lives.
func GpuBroken(c corev1.NodeCondition) bool { return c.Type == Gpu && c.Reason == broken }

// detects sets up the detectors: the first machine is broken, and its detector restarts its clock at each look; that of the second one left a condition
// behind that was never true.
func (w *World) detects() {
	if w.Spec.Has(worlds.Signals) {
		w.gpuSays(restless, corev1.ConditionFalse, broken)
		w.gpuSays(deserted, corev1.ConditionFalse, stale)
	}
}

func (w *World) gpuSays(machine string, status corev1.ConditionStatus, reason string) {
	update(w, kinds.Node, nodeOf(machine), true, func(node *corev1.Node) {
		at := metav1.NewTime(w.clock.now.Add(-time.Hour))
		node.Status.Conditions = append(slices.DeleteFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == Gpu }),
			corev1.NodeCondition{Type: Gpu, Status: status, Reason: reason, LastHeartbeatTime: at, LastTransitionTime: at})
	})
}

// reports adds to a Node as it was read what its detector has just said.
func (w *World) reports(node *corev1.Node) {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == Gpu && c.Reason != stale {
			c.LastHeartbeatTime, c.LastTransitionTime = metav1.NewTime(w.clock.now), metav1.NewTime(w.clock.now)
		}
	}
}

// detectorsChange returns what happens to the detector of the second machine.
func (w *World) detectorsChange() []option {
	if Latest[*corev1.Node](w, kinds.Node, nodeOf(deserted)) == nil {
		return nil
	}
	return []option{
		{"the detector of " + deserted + " says that all is well", func() { w.gpuSays(deserted, corev1.ConditionTrue, "Fine") }},
		{"the detector of " + deserted + " is gone, and leaves behind that it is broken", func() { w.gpuSays(deserted, corev1.ConditionFalse, stale) }},
	}
}
