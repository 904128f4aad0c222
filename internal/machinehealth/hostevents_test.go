package machinehealth

import (
	"context"
	"fmt"
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestHostHasOtherWords: the verdict is updated when the host reports another error.
func TestHostHasOtherWords(t *testing.T) {
	before := build.Machine("ns", "m", build.NodeRef("node"))
	before.Status.Conditions = []metav1.Condition{{Type: verdict.HostConditionType, Status: metav1.ConditionFalse, Reason: verdict.ReasonHostError, Message: "old"}}
	after := before.DeepCopy()
	after.Status.Conditions[0].Message = "new"
	if !relevantMachineChange().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}) {
		t.Error("the verdict has the old words")
	}
}

// indexed is a cache of Machines with an index, which counts the Machines that it returns.
type indexed struct {
	client.Client
	by     map[string][]clusterv1.Machine
	all    []clusterv1.Machine
	listed int
}

func (x *indexed) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	o := &client.ListOptions{}
	o.ApplyOptions(opts)
	found := x.all
	if o.FieldSelector != nil {
		value, _ := o.FieldSelector.RequiresExactMatch(byConsumer)
		found = x.by[value]
	}
	x.listed += len(found)
	list.(*clusterv1.MachineList).Items = found
	return nil
}

// TestHostsAtTheStart: at the start, each host causes an event, and finds its Machine without reading other Machines.
func TestHostsAtTheStart(t *testing.T) {
	const n = 500
	cache := &indexed{by: map[string][]clusterv1.Machine{}}
	for i := range n {
		m := build.Machine("ns", fmt.Sprint("m-", i))
		m.Spec.InfrastructureRef.Name = m.Name
		cache.all = append(cache.all, *m)
		cache.by[ConsumerOfMachine(m)] = append(cache.by[ConsumerOfMachine(m)], *m)
	}
	r := &Reconciler{Observer: &Observer{Hosts: &Hosts{Client: cache}}}
	for i := range n {
		ref := cache.all[i].Spec.InfrastructureRef
		host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: fmt.Sprint("h-", i)}}
		host.Spec.ConsumerRef = &corev1.ObjectReference{APIVersion: ref.APIGroup + "/v1beta1", Kind: ref.Kind, Namespace: "ns", Name: ref.Name}
		requests := r.machinesOfHost(t.Context(), host)
		if len(requests) != 1 || requests[0].Name != cache.all[i].Name {
			t.Fatalf("host %d wakes %v", i, requests)
		}
	}
	if cache.listed != n {
		t.Errorf("%d Machines are looked at for %d hosts", cache.listed, n)
	}
}
