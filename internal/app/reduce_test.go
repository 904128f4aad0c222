package app

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// usualMachine is like a Machine of a MachineDeployment with a topology.
//
//nolint:staticcheck // Providers still fill the deprecated fields.
func usualMachine() *clusterv1.Machine {
	m := build.Machine("ns", "md-0-x7k2p-9d8fz", build.NodeRef("md-0-x7k2p-9d8fz"), build.Annotation("cluster.x-k8s.io/conversion-data", strings.Repeat("{}", 200)))
	for _, label := range []string{"deployment-name", "set-name", "machine-template-hash", "topology.owned", "pool"} {
		build.Label("cluster.x-k8s.io/"+label, "md-0-x7k2p")(m)
	}
	m.Spec.ProviderID = "aws:///eu-central-1a/i-0123456789abcdef0"
	m.Spec.Bootstrap.ConfigRef = clusterv1.ContractVersionedObjectReference{APIGroup: "bootstrap.cluster.x-k8s.io", Kind: "KubeadmConfig", Name: m.Name}
	m.Spec.Bootstrap.DataSecretName = new(m.Name)
	m.Status.NodeInfo = &corev1.NodeSystemInfo{
		MachineID: strings.Repeat("1", 32), SystemUUID: strings.Repeat("2", 36), BootID: strings.Repeat("3", 36), KernelVersion: "6.8.0-1029-aws",
		OSImage: "Ubuntu 24.04.2 LTS", ContainerRuntimeVersion: "containerd://2.1.1", KubeletVersion: "v1.36.3", OperatingSystem: "linux", Architecture: "amd64",
	}
	for i := range 4 {
		m.Status.Addresses = append(m.Status.Addresses, clusterv1.MachineAddress{Type: clusterv1.MachineInternalDNS, Address: fmt.Sprintf("ip-10-0-0-%d.internal", i)})
	}
	m.Status.Deprecated = &clusterv1.MachineDeprecatedStatus{V1Beta1: &clusterv1.MachineV1Beta1DeprecatedStatus{}}
	for i := range 8 {
		m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{
			Type: fmt.Sprint("Condition", i), Status: metav1.ConditionTrue, Reason: "Reason", LastTransitionTime: metav1.NewTime(build.Epoch),
		})
		m.Status.Deprecated.V1Beta1.Conditions = append(m.Status.Deprecated.V1Beta1.Conditions, clusterv1.Condition{Type: clusterv1.ConditionType(fmt.Sprint("Old", i)), Status: "True"})
	}
	return m
}

// usualCluster returns a Cluster whose topology has variables and ten MachineDeployments.
func usualCluster() *clusterv1.Cluster {
	c := build.Cluster("ns", build.ClusterName, build.Annotation("kubectl.kubernetes.io/last-applied-configuration", strings.Repeat("{}", 4000)))
	c.Spec.Topology.ClassRef.Name, c.Spec.Topology.Version = "class", "v1.36.3"
	for i := range 40 {
		c.Spec.Topology.Variables = append(c.Spec.Topology.Variables, clusterv1.ClusterVariable{Name: fmt.Sprint("variable-", i), Value: apiextensionsv1.JSON{Raw: []byte(`"` + strings.Repeat("x", 100) + `"`)}})
	}
	for i := range 10 {
		c.Spec.Topology.Workers.MachineDeployments = append(c.Spec.Topology.Workers.MachineDeployments, clusterv1.MachineDeploymentTopology{Class: "worker", Name: fmt.Sprint("md-", i)})
	}
	return c
}

// TestReduce: what the rules, the patches and the explanations use stays.
//
//nolint:staticcheck // Providers still fill the deprecated fields.
func TestReduce(t *testing.T) {
	machine, cluster := usualMachine(), usualCluster()
	machine.Status.Deprecated.V1Beta1.FailureMessage = new("broken")
	before := machine.DeepCopy()
	for _, obj := range []client.Object{machine, cluster} {
		if _, err := reduce(obj); err != nil {
			t.Fatal(err)
		}
	}
	before.Annotations["cluster.x-k8s.io/conversion-data"] = ""
	before.Spec.Bootstrap, before.Spec.ProviderID = clusterv1.Bootstrap{}, ""
	before.Status.NodeInfo, before.Status.Addresses, before.Status.Deprecated.V1Beta1.Conditions = nil, nil, nil
	if diff := cmp.Diff(before, machine); diff != "" {
		t.Errorf("a Machine (-want +got):\n%s", diff)
	}
	want := usualCluster()
	want.Annotations["kubectl.kubernetes.io/last-applied-configuration"] = ""
	want.Spec.Topology = clusterv1.Topology{ClassRef: want.Spec.Topology.ClassRef, Version: "v1.36.3"}
	if diff := cmp.Diff(want, cluster); diff != "" {
		t.Errorf("a Cluster (-want +got):\n%s", diff)
	}
}

// TestHeld: the cache holds at most two thirds of a Machine, and a fifth of a Cluster with a topology.
func TestHeld(t *testing.T) {
	for _, tt := range []struct {
		obj  client.Object
		new  func() client.Object
		most float64
	}{
		{usualMachine(), func() client.Object { return &clusterv1.Machine{} }, 2. / 3},
		{usualCluster(), func() client.Object { return &clusterv1.Cluster{} }, 1. / 5},
	} {
		before, after := held(t, tt.obj, tt.new, ownwrites.KeepOurManagedFields), held(t, tt.obj, tt.new, reduce)
		t.Logf("%T: %d bytes are held of %d", tt.obj, after, before)
		if float64(after) > tt.most*float64(before) {
			t.Errorf("%T: %d bytes are held of %d", tt.obj, after, before)
		}
	}
}

// held returns how many bytes an object takes in a cache that reduces.
func held(t *testing.T, obj client.Object, empty func() client.Object, reduce func(any) (any, error)) uint64 {
	t.Helper()
	const n = 2000
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]client.Object, n)
	before := heap()
	for i := range all {
		one := empty()
		if err := json.Unmarshal(text, one); err != nil {
			t.Fatal(err)
		}
		if _, err := reduce(one); err != nil {
			t.Fatal(err)
		}
		all[i] = one
	}
	after := heap()
	runtime.KeepAlive(all)
	return (after - before) / n
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
