package machinehealth

import (
	"context"
	"fmt"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// TestHostErrorOfAMoment: the timeout may be shorter than an attempt of the operator. An error that has passed by then does not
// count.
func TestHostErrorOfAMoment(t *testing.T) {
	f := newHarness(t)
	host := f.hostOf()
	f.hostErrorTimeout("1m")
	f.readHosts()
	is := func(after time.Duration, message, verdict string) {
		t.Helper()
		f.fails(host, message)
		f.looks(after)
		if got := f.reason(); got != verdict {
			t.Fatalf("after %s: the verdict is %q, want %q", after, got, verdict)
		}
	}
	is(0, "", "")
	is(time.Second, "a hiccup", "")
	is(6*time.Second, "", "")
	is(62*time.Second, "", "")
	// The operator has retried and failed: that is the same error.
	is(2*time.Minute, "a hiccup", verdict.ReasonHostError)
	is(2*time.Minute+time.Second, "", verdict.ReasonHostError)
	is(6*time.Minute, "", "")
}

// TestHostErrorAfterAPause: an error from before a pause, long gone, does not add to one that begins afterwards.
func TestHostErrorAfterAPause(t *testing.T) {
	for name, pause := range map[string]func(f *harness, yes bool, at time.Time){
		"of the Cluster": func(f *harness, yes bool, at time.Time) {
			change(f, f.cluster, func(c *clusterv1.Cluster) { c.Spec.Paused = new(yes) })
			f.saysPaused(f.machine, yes, at) // as Cluster API does
		},
		"of the MachineHealthCheck": func(f *harness, yes bool, at time.Time) {
			change(f, f.mhc, func(mhc *clusterv1.MachineHealthCheck) {
				delete(mhc.Annotations, clusterv1.PausedAnnotation)
				if yes {
					build.Annotation(clusterv1.PausedAnnotation, "maintenance")(mhc)
				}
			})
			f.saysPaused(f.mhc, yes, at) // as machinehealthcheck does
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t)
			host := f.hostOf()
			f.hostErrorTimeout("30m")
			f.readHosts()
			f.fails(host, "no")
			is := func(after time.Duration, verdict string) {
				t.Helper()
				if f.looks(after); f.reason() != verdict {
					t.Fatalf("after %s: the verdict is %q, want %q", after, f.reason(), verdict)
				}
			}
			is(0, "")
			pause(f, true, f.start.Add(time.Minute))
			f.fails(host, "")
			is(2*time.Minute, "")
			pause(f, false, f.start.Add(3*time.Hour))
			is(3*time.Hour, "")
			f.fails(host, "a hiccup")
			is(3*time.Hour+time.Second, "")
			is(3*time.Hour+30*time.Minute, verdict.ReasonHostError)
		})
	}
}

// saysPaused stores the condition Paused of a Machine or MachineHealthCheck.
func (f *harness) saysPaused(obj client.Object, yes bool, at time.Time) {
	f.t.Helper()
	c := metav1.Condition{Type: clusterv1.PausedCondition, Status: metav1.ConditionFalse, Reason: "Test", LastTransitionTime: metav1.NewTime(at)}
	if yes {
		c.Status = metav1.ConditionTrue
	}
	objects.ChangeStatus(f.t, f.env.Client, obj, func(o client.Object) {
		switch o := o.(type) {
		case *clusterv1.Machine:
			meta.SetStatusCondition(&o.Status.Conditions, c)
		case *clusterv1.MachineHealthCheck:
			meta.SetStatusCondition(&o.Status.Conditions, c)
		}
	})
}

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
