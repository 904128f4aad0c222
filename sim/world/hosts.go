package world

import (
	"fmt"
	"net/url"
	"strconv"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/secret"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world/metal"
)

// HostName returns the name of a host of a bare-metal cluster, which is also the name of its Node. n counts from 0.
func HostName(cluster string, n int) string { return fmt.Sprintf("%s-host-%d", cluster, n) }

// hosts returns the number of hosts of a bare-metal cluster.
func (s ClusterSpec) hosts() int {
	n := int(s.ControlPlaneReplicas) + s.SpareHosts
	for _, pool := range s.Pools {
		n += pool.Size
	}
	return n
}

// metalObjects returns all objects of a bare-metal cluster. Its kubeconfig names the management cluster, so that is its workload
// cluster. Its control plane consists of Machines without an owner.
func (s ClusterSpec) metalObjects(kubeconfig []byte, server string) ([]client.Object, error) {
	endpoint, err := endpointOf(server)
	if err != nil {
		return nil, err
	}
	access := &corev1.Secret{
		ObjectMeta: s.meta(secret.Name(s.Name, secret.Kubeconfig)),
		Type:       clusterv1.ClusterSecretType,
		Data:       map[string][]byte{secret.KubeconfigDataName: kubeconfig},
	}
	meta := s.meta(s.Name)
	meta.Annotations = s.Annotations
	infrastructure := s.unstructured(metal.Cluster, s.Name)
	infrastructure.Object["status"] = map[string]any{"initialization": map[string]any{"provisioned": true}}
	objects := []client.Object{&clusterv1.Cluster{ObjectMeta: meta, Spec: clusterv1.ClusterSpec{
		ControlPlaneEndpoint: endpoint, InfrastructureRef: referenceTo(metal.Cluster, s.Name),
	}}, infrastructure, access}
	for n := range s.hosts() {
		objects = append(objects, s.bareMetalHost(n))
	}
	for n := range s.ControlPlaneReplicas {
		objects = append(objects, s.metalControlPlane(int(n))...)
	}
	for _, pool := range s.Pools {
		name := MachineDeploymentName(s.Name, pool.Name)
		deployment := s.MachineDeployment(name, pool)
		deployment.Spec.Template.Spec = s.metalSpec(metal.Template, name)
		template := s.unstructured(metal.Template, name)
		template.Object["spec"] = map[string]any{"template": map[string]any{"spec": map[string]any{}}}
		objects = append(objects, template, deployment)
	}
	return objects, nil
}

func (s ClusterSpec) bareMetalHost(n int) *metal3v1.BareMetalHost {
	return &metal3v1.BareMetalHost{ObjectMeta: s.meta(HostName(s.Name, n)), Spec: metal3v1.BareMetalHostSpec{
		BootMACAddress: fmt.Sprintf("00:00:5e:00:53:%02x", n),
		BMC:            metal3v1.BMCDetails{Address: fmt.Sprintf("ipmi://192.0.2.%d", n+1), CredentialsName: "bmc"},
	}}
}

func (s ClusterSpec) metalControlPlane(n int) []client.Object {
	name := fmt.Sprintf("%s-%d", ControlPlaneName(s.Name), n)
	machine := &clusterv1.Machine{ObjectMeta: s.meta(name), Spec: s.metalSpec(metal.Machine, name)}
	machine.Labels[clusterv1.MachineControlPlaneLabel] = ""
	return []client.Object{s.unstructured(metal.Machine, name), machine}
}

func (s ClusterSpec) metalSpec(infrastructure schema.GroupVersionKind, name string) clusterv1.MachineSpec {
	spec := s.workerSpec(name)
	spec.InfrastructureRef = referenceTo(infrastructure, name)
	// The simulated host ignores its bootstrap data, so the Secret need not exist.
	spec.Bootstrap = clusterv1.Bootstrap{DataSecretName: new("nothing")}
	return spec
}

func referenceTo(kind schema.GroupVersionKind, name string) clusterv1.ContractVersionedObjectReference {
	return clusterv1.ContractVersionedObjectReference{APIGroup: kind.Group, Kind: kind.Kind, Name: name}
}

func (s ClusterSpec) unstructured(kind schema.GroupVersionKind, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(kind)
	u.SetNamespace(s.Namespace)
	u.SetName(name)
	u.SetLabels(map[string]string{clusterv1.ClusterNameLabel: s.Name})
	return u
}

func endpointOf(server string) (clusterv1.APIEndpoint, error) {
	address, err := url.Parse(server)
	if err != nil {
		return clusterv1.APIEndpoint{}, fmt.Errorf("reading the address of the API server: %w", err)
	}
	port, err := strconv.ParseInt(address.Port(), 10, 32)
	if err != nil {
		return clusterv1.APIEndpoint{}, fmt.Errorf("reading the port of the API server %s: %w", server, err)
	}
	return clusterv1.APIEndpoint{Host: address.Hostname(), Port: int32(port)}, nil
}
