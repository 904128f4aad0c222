package fleet

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// nodes are the Nodes of a workload cluster.
type nodes interface {
	create(ctx context.Context, node *corev1.Node) error
	change(ctx context.Context, name string, edit func(*corev1.Node)) error
	remove(ctx context.Context, name string) error
}

// addCluster creates a workload cluster. A hundred real API servers do not fit on a computer, but one does. The difference
// matters: real ones send Nodes in protobuf, those in memory only in JSON.
func (f *Fleet) addCluster(ctx context.Context, c cluster) error {
	create, its := f.World.CreateSynthetic, nodes(memoryNodes{f.World, c.ObjectKey})
	if c.real {
		create, its = f.World.CreateSelfHosted, &realNodes{client: f.World.Client(), known: map[string]*corev1.Node{}}
	}
	f.mutex.Lock()
	f.nodes[c.ObjectKey] = its
	f.mutex.Unlock()
	return create(ctx, c.ObjectKey)
}

// memoryNodes are Nodes on an in-memory API server.
type memoryNodes struct {
	world   *world.World
	cluster client.ObjectKey
}

func (n memoryNodes) create(ctx context.Context, node *corev1.Node) error {
	return n.world.WorkloadClient(n.cluster).Create(ctx, node)
}

func (n memoryNodes) change(ctx context.Context, name string, edit func(*corev1.Node)) error {
	return n.world.ChangeNode(ctx, n.cluster, name, edit)
}

func (n memoryNodes) remove(ctx context.Context, name string) error {
	return n.world.WorkloadClient(n.cluster).Delete(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// realNodes are Nodes on a real API server. Nobody else writes to them.
type realNodes struct {
	client client.Client
	mutex  sync.Mutex
	known  map[string]*corev1.Node
}

func (n *realNodes) create(ctx context.Context, node *corev1.Node) error {
	if err := n.client.Create(ctx, node); err != nil {
		return err
	}
	n.remember(node)
	return nil
}

// change sends only the difference, as a kubelet does.
func (n *realNodes) change(ctx context.Context, name string, edit func(*corev1.Node)) error {
	n.mutex.Lock()
	before, ok := n.known[name]
	n.mutex.Unlock()
	if !ok {
		return fmt.Errorf("there is no node %s", name)
	}
	after := before.DeepCopy()
	edit(after)
	if err := n.client.Status().Patch(ctx, after, client.StrategicMergeFrom(before)); err != nil {
		return err
	}
	n.remember(after)
	return nil
}

func (n *realNodes) remove(ctx context.Context, name string) error {
	n.mutex.Lock()
	delete(n.known, name)
	n.mutex.Unlock()
	return n.client.Delete(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

func (n *realNodes) remember(node *corev1.Node) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	node.ManagedFields = nil
	n.known[node.Name] = node
}

// images is how many images a Node lists. A kubelet lists up to 50.
const images = 25

// node returns a healthy Node as large as that of an ordinary worker, because decoding, copying and keeping Nodes costs accordingly.
func node(m Machine, now metav1.Time) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: m.Name, Labels: nodeLabels(m), Annotations: map[string]string{
			"volumes.kubernetes.io/controller-managed-attach-detach": "true",
			"csi.volume.kubernetes.io/nodeid":                        fmt.Sprintf(`{"csi.example.com":%q}`, providerID(m)),
			"cluster.x-k8s.io/cluster-name":                          m.Cluster.Name,
			"cluster.x-k8s.io/cluster-namespace":                     m.Cluster.Namespace,
			"cluster.x-k8s.io/machine":                               m.Name,
			"cluster.x-k8s.io/owner-kind":                            "MachineSet",
			"cluster.x-k8s.io/owner-name":                            m.Cluster.Name,
		}},
		Spec: corev1.NodeSpec{ProviderID: providerID(m), PodCIDR: "10.244.0.0/24", PodCIDRs: []string{"10.244.0.0/24"}},
		Status: corev1.NodeStatus{
			Capacity:    resources("4", "16384Mi"),
			Allocatable: resources("3920m", "15000Mi"),
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}, {Type: corev1.NodeHostName, Address: m.Name},
			},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: 10250}},
			NodeInfo: corev1.NodeSystemInfo{
				MachineID: "0f1e2d3c4b5a69788796a5b4c3d2e1f0", SystemUUID: "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
				BootID: "a0b1c2d3-e4f5-0617-2839-4a5b6c7d8e9f", KernelVersion: "6.8.0-49-generic", OSImage: "Ubuntu 24.04.1 LTS",
				ContainerRuntimeVersion: "containerd://2.1.4", KubeletVersion: "v1.36.0", OperatingSystem: "linux", Architecture: "amd64",
			},
			Conditions: nodeConditions(now),
			Images:     nodeImages(),
		},
	}
}

func nodeLabels(m Machine) map[string]string {
	return map[string]string{
		corev1.LabelHostname: m.Name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
		corev1.LabelInstanceTypeStable: "standard-4", corev1.LabelTopologyRegion: "north", corev1.LabelTopologyZone: "north-1",
		"beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64",
	}
}

func resources(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
		corev1.ResourcePods: resource.MustParse("110"), corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
	}
}

// nodeConditions returns the conditions that a kubelet reports, in its order.
func nodeConditions(now metav1.Time) []corev1.NodeCondition {
	condition := func(of corev1.NodeConditionType, status corev1.ConditionStatus, reason, message string) corev1.NodeCondition {
		return corev1.NodeCondition{Type: of, Status: status, Reason: reason, Message: message, LastTransitionTime: now, LastHeartbeatTime: now}
	}
	return []corev1.NodeCondition{
		condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
		condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
		condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
		condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status"),
	}
}

// nodeImages are the same for all Nodes, which share their names, so that 100,000 of them fit into memory.
var nodeImages = sync.OnceValue(func() []corev1.ContainerImage {
	all := make([]corev1.ContainerImage, images)
	for i := range all {
		repository := fmt.Sprintf("registry.example.com/platform/component-%d", i)
		all[i] = corev1.ContainerImage{
			Names:     []string{fmt.Sprintf("%s@sha256:%064x", repository, i), repository + ":v1.2.3"},
			SizeBytes: int64(50+i) << 20,
		}
	}
	return all
})
