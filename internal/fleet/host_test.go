package fleet

import (
	"context"
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// oneHost is a cache with one host, which the Machine m1 uses.
type oneHost struct{ client.Reader }

func (oneHost) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	host := metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Name: "rack2-u7", UID: "u7"}}
	host.Spec.ConsumerRef = &corev1.ObjectReference{Name: "m1"}
	list.(*metal3v1.BareMetalHostList).Items = []metal3v1.BareMetalHost{host}
	return nil
}

func (oneHost) IndexField(context.Context, client.Object, string, client.IndexerFunc) error {
	return nil
}

// TestHost: a plan's memory of a host counts from outside, too, as it does in the manager.
func TestHost(t *testing.T) {
	machine := build.Machine("default", "m1", build.MachineFunc(func(m *clusterv1.Machine) { m.Spec.InfrastructureRef.Name = "m1" }))
	hosts := &machinehealth.Hosts{Client: oneHost{}}
	observer := New(Sources{Hosts: hosts})
	if ref, err := observer.Checks.Host(t.Context(), machine); ref != nil || err != nil {
		t.Errorf("nobody reads hosts, and one is %v, %v", ref, err)
	}
	if err := hosts.Appeared(t.Context(), oneHost{}); err != nil {
		t.Fatal(err)
	}
	ref, err := observer.Checks.Host(t.Context(), machine)
	if err != nil || ref == nil || ref.Name != "rack2-u7" || ref.UID != "u7" {
		t.Errorf("the host is %v, %v", ref, err)
	}
	if ref, err := New(Sources{}).Checks.Host(t.Context(), machine); ref != nil || err != nil {
		t.Errorf("without hosts, one is %v, %v", ref, err)
	}
}
