package cycle_test

import (
	"fmt"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

// credentials returns the Secret for the BMC, without which the real operator does nothing.
func (m *machine) credentials() *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: m.namespace, Name: m.name},
		StringData: map[string]string{"username": "user", "password": "password"},
	}
}

func (m *machine) newHost(p plan) *metal3v1.BareMetalHost {
	user := corev1.ObjectReference{APIVersion: metal3MachineKind.GroupVersion().String(), Kind: metal3MachineKind.Kind, Namespace: m.namespace, Name: m.name}
	if m.openShift() {
		user = corev1.ObjectReference{APIVersion: machinev1.GroupVersion.String(), Kind: "Machine", Namespace: m.namespace, Name: m.name}
	}
	if p.foreign {
		user.Name = "another"
	}
	host := &metal3v1.BareMetalHost{
		ObjectMeta: metav1.ObjectMeta{Namespace: m.namespace, Name: m.name},
		Spec: metal3v1.BareMetalHostSpec{
			Online: true, ExternallyProvisioned: true, BootMACAddress: "00:00:5e:00:53:01", ConsumerRef: &user,
			BMC: metal3v1.BMCDetails{Address: "ipmi://192.0.2.1", CredentialsName: m.name},
		},
	}
	if p.host != nil {
		p.host(host)
	}
	return host
}

func (m *machine) bareMetalHost() *metal3v1.BareMetalHost {
	m.Helper()
	host := &metal3v1.BareMetalHost{}
	if err := m.client.Get(m.ctx, m.key(), host); err != nil {
		m.Fatal(err)
	}
	return host
}

// changeHost changes the BareMetalHost, as another client would.
func (m *machine) changeHost(change func(*metal3v1.BareMetalHost)) {
	m.Helper()
	m.change(m.bareMetalHost(), func(o client.Object) { change(o.(*metal3v1.BareMetalHost)) })
}

func (m *machine) annotateHost(key, value string) {
	m.Helper()
	m.changeHost(func(h *metal3v1.BareMetalHost) { metav1.SetMetaDataAnnotation(&h.ObjectMeta, key, value) })
}

func (m *machine) unannotateHost(key string) {
	m.Helper()
	m.changeHost(func(h *metal3v1.BareMetalHost) { delete(h.Annotations, key) })
}

// nudged makes the real operator look at a new host, which it would otherwise leave alone for ten seconds.
func (m *machine) nudged() bool {
	m.Helper()
	if *binary != "" && m.bareMetalHost().Status.Provisioning.State == metal3v1.StateExternallyProvisioned {
		m.annotateHost("test.example.dev/nudged", time.Now().String())
	}
	return false
}

// Running reports whether the machine really has power now.
func (m *machine) Running() bool { return m.operator.Host(m.key()).Running() }

// Set sets the faults of the machine. Only the simulated operator supports faults of its power.
func (m *machine) Set(f baremetal.Faults) {
	m.Helper()
	if f != (baremetal.Faults{BootTakes: f.BootTakes, Hangs: f.Hangs}) {
		onlySimulated(m, fmt.Sprintf("faults like %+v", f))
	}
	m.Host.Set(f)
}

// Press switches the machine by hand.
func (m *machine) Press(on bool) {
	m.Helper()
	onlySimulated(m, "machines with a button")
	m.Host.Press(on)
}
