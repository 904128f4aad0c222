package cycle_test

import (
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/noderefutil"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

// machine is a Machine on a host. The host, the Machine and its infrastructure machine have the same
// name.
type machine struct {
	*harness
	name string
	// Host is the physical machine.
	*baremetal.Host
	// node was its Node at the beginning.
	node corev1.Node
}

// plan says how a machine differs from the usual one.
type plan struct {
	neverJoined, noHost, foreign, owned, controlPlane bool
	host                                              func(*metal3v1.BareMetalHost)
}

// machine creates a machine that is on and has joined.
func (s *harness) machine(name string, p plan) *machine {
	s.Helper()
	if name != "m" {
		onlySimulated(s, "more than one host in a namespace")
	}
	m := &machine{harness: s, name: name, Host: s.operator.Host(client.ObjectKey{Namespace: s.namespace, Name: name})}
	m.Runs(m.kubelet(!p.neverJoined))
	s.create(m.credentials(), m.newHost(p))
	s.create(m.infrastructure(p)...)
	obj := m.object(p)
	s.create(obj)
	s.awaits("the host is on", func() bool { return m.bareMetalHost().Status.PoweredOn || m.nudged() })
	if p.neverJoined {
		m.Runs(m.kubelet(true))
		return m
	}
	s.awaits("the Node is there", func() bool { return noderefutil.IsNodeReady(m.findNode()) })
	m.awaits("the Machine knows its Node", func() bool { return m.meet(m.ctx) == nil })
	m.decorate()
	m.node = *m.findNode()
	return m
}

// awaits waits for a condition without running the controllers.
func (s *harness) awaits(what string, so func() bool) {
	s.Helper()
	s.eventually(what, func() bool {
		if s.clock != nil {
			s.step(tick)
		}
		return so()
	})
}

func (s *harness) create(objects ...client.Object) {
	s.Helper()
	for _, obj := range objects {
		if err := s.client.Create(s.ctx, obj); err != nil {
			s.Fatalf("creating %T %s: %v", obj, obj.GetName(), err)
		}
	}
}

func (m *machine) infrastructure(p plan) []client.Object {
	if m.openShift() {
		return nil
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(metal3MachineKind)
	u.SetNamespace(m.namespace)
	u.SetName(m.name)
	u.SetAnnotations(m.hostAnnotation(p))
	return []client.Object{u}
}

func (m *machine) hostAnnotation(p plan) map[string]string {
	if p.noHost {
		return nil
	}
	return map[string]string{"metal3.io/BareMetalHost": m.namespace + "/" + m.name}
}

func (m *machine) object(p plan) client.Object {
	meta := metav1.ObjectMeta{Namespace: m.namespace, Name: m.name, Labels: map[string]string{}}
	if p.owned {
		meta.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: clusterv1.GroupVersion.String(), Kind: "MachineSet", Name: "set", UID: "set", Controller: new(true),
		}}
	}
	if m.openShift() {
		meta.Annotations = m.hostAnnotation(p)
		if p.controlPlane {
			meta.Labels["machine.openshift.io/cluster-api-machine-role"] = "master"
		}
		return &machinev1.Machine{ObjectMeta: meta}
	}
	if p.controlPlane {
		meta.Labels[clusterv1.MachineControlPlaneLabel] = ""
	}
	return &clusterv1.Machine{ObjectMeta: meta, Spec: clusterv1.MachineSpec{
		ClusterName: "c",
		Bootstrap:   clusterv1.Bootstrap{DataSecretName: new("bootstrap")},
		InfrastructureRef: clusterv1.ContractVersionedObjectReference{
			APIGroup: metal3MachineKind.Group, Kind: metal3MachineKind.Kind, Name: m.name,
		},
	}}
}

// empty returns a Machine to read into.
func (m *machine) empty() client.Object {
	if m.openShift() {
		return &machinev1.Machine{}
	}
	return &clusterv1.Machine{}
}

func (m *machine) key() client.ObjectKey {
	return client.ObjectKey{Namespace: m.namespace, Name: m.name}
}

// nodeName is unique, because the tests share an API server and Nodes have no namespace.
func (m *machine) nodeName() string { return m.namespace + "-" + m.name }

// get reads the Machine.
func (m *machine) get() client.Object {
	m.Helper()
	obj := m.empty()
	if err := m.client.Get(m.ctx, m.key(), obj); err != nil {
		m.Fatal(err)
	}
	return obj
}

// annotate annotates the Machine.
func (m *machine) annotate(key, value string) {
	m.Helper()
	m.change(m.get(), func(o client.Object) {
		annotations := o.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[key] = value
		o.SetAnnotations(annotations)
	})
}

func (s *harness) change(obj client.Object, change func(client.Object)) {
	s.Helper()
	before := obj.DeepCopyObject().(client.Object)
	change(obj)
	if err := s.client.Patch(s.ctx, obj, client.MergeFrom(before)); err != nil {
		s.Fatalf("changing %T %s: %v", obj, obj.GetName(), err)
	}
}
