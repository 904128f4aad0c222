package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/cachelist"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
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

// TestReduceKeepsWhatExplains: of the conditions from before v1beta2, those that say why a deletion or a start hangs stay while one does.
//
//nolint:staticcheck // Older providers say more there.
func TestReduceKeepsWhatExplains(t *testing.T) {
	conditions := clusterv1.Conditions{
		{Type: clusterv1.ReadyV1Beta1Condition, Status: "False"}, {Type: clusterv1.PreDrainDeleteHookSucceededV1Beta1Condition, Status: "True"},
		{Type: clusterv1.DrainingSucceededV1Beta1Condition, Status: "False"}, {Type: clusterv1.InfrastructureReadyV1Beta1Condition, Status: "False"},
	}
	node := build.NodeRef("n")
	for name, tt := range map[string]struct {
		machine *clusterv1.Machine
		want    clusterv1.Conditions
	}{
		"at work":        {build.Machine("ns", "m", node), nil},
		"without a Node": {build.Machine("ns", "m"), conditions[2:]},
		"being deleted":  {build.Machine("ns", "m", node, build.Deleting(build.Epoch)), conditions[2:]},
	} {
		tt.machine.Status.Deprecated = &clusterv1.MachineDeprecatedStatus{V1Beta1: &clusterv1.MachineV1Beta1DeprecatedStatus{Conditions: conditions}}
		if _, err := reduce(tt.machine); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, tt.machine.Status.Deprecated.V1Beta1.Conditions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestReduceKeepsWhatShowsUpgrades: the cache keeps all that pauses for upgrades depend on, also the old version of a Machine that is updated in place.
func TestReduceKeepsWhatShowsUpgrades(t *testing.T) {
	machine, cluster := usualMachine(), usualCluster()
	build.Annotation(clusterv1.UpdateInProgressAnnotation, "")(machine)
	machine.Spec.Version = "v1.37.0"
	machine.Status.Conditions = append(machine.Status.Conditions, metav1.Condition{Type: clusterv1.MachineNodeReadyCondition, Status: metav1.ConditionTrue})
	build.Annotation(pause.OptionAnnotation, "true")(cluster)
	cluster.Spec.ControlPlaneRef.Name, cluster.Spec.Paused = "plane", new(true)
	cluster.Status.Conditions = []metav1.Condition{{Type: clusterv1.ClusterTopologyReconciledCondition, Status: metav1.ConditionFalse, Reason: "Upgrading"}}
	plane := &unstructured.Unstructured{Object: map[string]any{"kind": "Plane", "spec": map[string]any{"version": "v1.37.0"}, "status": map[string]any{"version": "v1.36.3"}}}
	deployment := &clusterv1.MachineDeployment{Spec: clusterv1.MachineDeploymentSpec{ClusterName: "c", Template: clusterv1.MachineTemplateSpec{Spec: machine.Spec}}}
	for _, obj := range []client.Object{machine, cluster, plane, deployment} {
		want := pause.Trim(obj.DeepCopyObject())
		reduced, err := reduce(obj)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, pause.Trim(reduced)); diff != "" {
			t.Errorf("%T (-want +got):\n%s", obj, diff)
		}
	}
	if diff := cmp.Diff(&corev1.NodeSystemInfo{KubeletVersion: "v1.36.3"}, machine.Status.NodeInfo); diff != "" {
		t.Errorf("of the Node of a Machine that is updated in place (-want +got):\n%s", diff)
	}
}

// TestMachinesOfPausesAlone: only a manager that does nothing but pause keeps no more of a Machine than pauses need. A cache of its own for Machines would
// ask for their kind, which may be missing.
func TestMachinesOfPausesAlone(t *testing.T) {
	for name, tt := range map[string]struct {
		o     Options
		alone bool
	}{
		"pauses alone":          {Options{Controllers: []string{upgradepause.ControllerName}, DashboardBindAddress: off}, true},
		"beside a dashboard":    {Options{Controllers: []string{upgradepause.ControllerName}, DashboardBindAddress: ":8444"}, false},
		"beside a controller":   {Options{Controllers: []string{upgradepause.ControllerName, "reboot"}, DashboardBindAddress: off}, false},
		"the usual controllers": {DefaultOptions(), false},
	} {
		options, err := cacheOptions(tt.o, &cachelist.Informers{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := pause.Trim(usualMachine()), error(nil)
		if !tt.alone {
			want, err = reduce(usualMachine())
		}
		kept, transformErr := options.DefaultTransform(usualMachine())
		if diff := cmp.Diff(want, kept); diff != "" || err != nil || transformErr != nil {
			t.Errorf("%s: errors %v, %v, a Machine (-want +got):\n%s", name, err, transformErr, diff)
		}
		for obj := range options.ByObject {
			if _, ok := obj.(*corev1.Secret); !ok {
				t.Errorf("%s: the manager does not start without %T", name, obj)
			}
		}
	}
}
