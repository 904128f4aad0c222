package reboot

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// harness is a namespace on the API server with machines on hosts of the same names, and a Reconciler.
type harness struct {
	*testing.T
	e  *env.Env
	r  *Reconciler
	ns string
}

// newHarness has one machine, m, whose Node has its own workload cluster's name: the management cluster's.
func newHarness(t *testing.T) *harness {
	t.Helper()
	h := emptyHarness(t)
	h.join("m")
	return h
}

// newPlane has a control plane of that size: m1 and so on, and all are up.
func newPlane(t *testing.T, size int) *harness {
	t.Helper()
	h := emptyHarness(t)
	h.r.Workload = apart{workload.Local{Live: h.e.Client, Config: h.e.Config}}
	for i := range size {
		h.join("m"+string(rune('1'+i)), build.ControlPlane())
	}
	return h
}

func emptyHarness(t *testing.T) *harness {
	t.Helper()
	e := env.Get(t)
	return &harness{T: t, e: e, ns: e.Namespace(t), r: newReconciler(e, ClusterAPIKind, workload.Local{Live: e.Client, Config: e.Config})}
}

// newReconciler returns a Reconciler without a cache, with a fake clock.
func newReconciler(e *env.Env, kind schema.GroupVersionKind, nodes workload.Writer) *Reconciler {
	return &Reconciler{
		Kind: kind, Client: e.Client, Live: e.Client, Mapper: e.Client.RESTMapper(), Workload: nodes,
		Recorder: events.NewFakeRecorder(100), Clock: testingclock.NewFakePassiveClock(time.Now()), SyncPeriod: time.Hour,
	}
}

// apart is a workload cluster that shares only its Nodes with the test's API server.
type apart struct{ workload.Local }

func (a apart) Client(context.Context, client.ObjectKey) (client.Client, error) {
	return elsewhere{a.Live}, nil
}

type elsewhere struct{ client.Client }

func (e elsewhere) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	key.Name += "-is-elsewhere"
	return e.Client.Get(ctx, key, obj, opts...)
}

func (h *harness) join(name string, opts ...build.MachineOption) {
	h.Helper()
	infra := &unstructured.Unstructured{}
	infra.SetGroupVersionKind(infrastructureKind)
	infra.SetNamespace(h.ns)
	infra.SetName(name)
	infra.SetAnnotations(map[string]string{HostAnnotation: h.ns + "/" + name})
	machine := build.Machine(h.ns, name, append(opts, build.NodeRef(h.node(name)))...)
	machine.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: infrastructureKind.Group, Kind: infrastructureKind.Kind, Name: name}
	host := &metal3v1.BareMetalHost{}
	host.Namespace, host.Name = h.ns, name
	host.Spec.Online = true
	host.Spec.ConsumerRef = &corev1.ObjectReference{APIVersion: infrastructureKind.GroupVersion().String(), Kind: infrastructureKind.Kind, Namespace: h.ns, Name: name}
	host.Status = metal3v1.BareMetalHostStatus{PoweredOn: true, Provisioning: metal3v1.ProvisionStatus{State: metal3v1.StateProvisioned}}
	build.Create(h.Context(), h.T, h.e.Client, infra, machine, host, build.Node(h.node(name)))
}

func (h *harness) node(name string) string { return h.ns + "-" + name }

func (h *harness) host(name string, change func(*metal3v1.BareMetalHost)) {
	h.Helper()
	host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: h.ns, Name: name}}
	objects.Change(h, h.e.Client, host, change)
	objects.ChangeStatus(h, h.e.Client, host, change)
}

func (h *harness) machine(name string, change func(*clusterv1.Machine)) {
	h.Helper()
	objects.ChangeStatus(h, h.e.Client, &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: h.ns, Name: name}}, change)
}

// waitsFor fails the test unless a RebootRemediation waits in line, and says so.
func (h *harness) waitsFor(request *v1alpha1.RebootRemediation, says string) {
	h.Helper()
	h.look(request)
	if request.Status.Phase != v1alpha1.Pending || reasonOf(request.Status, v1alpha1.ConditionSucceeded) != v1alpha1.ReasonThrottled {
		h.Fatalf("in phase %s: %+v", request.Status.Phase, request.Status.Conditions)
	}
	if got := messageOf(request.Status); !strings.Contains(got, says) {
		h.Errorf("it says %q, want %q in it", got, says)
	}
}

// TestRestOfControlPlane: a host is switched off only while the rest of the control plane is up. Any trouble of another machine
// counts, and is named.
func TestRestOfControlPlane(t *testing.T) {
	sick := metav1.Condition{Type: verdict.ConditionType, Status: metav1.ConditionFalse, Reason: "X", LastTransitionTime: metav1.Now()}
	for name, tt := range map[string]struct {
		befalls func(*harness)
		says    string
	}{
		"sick": {func(p *harness) {
			p.machine("m2", func(m *clusterv1.Machine) { m.Status.Conditions = []metav1.Condition{sick} })
		}, "m2 (it is not healthy)"},
		"going": {func(p *harness) {
			m := reread(p.T, p.e, &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: "m2"}})
			m.Finalizers = []string{"sickbay.dev/test"}
			objects.Update(p, p.e.Client, m)
			objects.Delete(p, p.e.Client, m)
		}, "m2 (it is being deleted)"},
		"not joined": {func(p *harness) {
			p.machine("m2", func(m *clusterv1.Machine) { m.Status.NodeRef = clusterv1.MachineNodeReference{} })
		}, "m2 (it has no Node yet)"},
		"held off": {func(p *harness) {
			p.host("m2", func(h *metal3v1.BareMetalHost) {
				h.Annotations = map[string]string{"reboot.metal3.io/a-person": ""}
			})
		}, "m2 (its host is kept off)"},
		"wanted off": {func(p *harness) {
			p.host("m2", func(h *metal3v1.BareMetalHost) { h.Spec.Online = false })
		}, "m2 (its host is kept off)"},
		"off": {func(p *harness) {
			p.host("m2", func(h *metal3v1.BareMetalHost) { h.Status.PoweredOn = false })
		}, "m2 (its host is off)"},
		"without its Node": {func(p *harness) {
			objects.Delete(p, p.e.Client, build.Node(p.node("m2")))
		}, "m2 (its Node is gone)"},
		"not Ready": {func(p *harness) {
			node := reread(p.T, p.e, build.Node(p.node("m2")))
			setReady(node, corev1.ConditionFalse, time.Now())
			objects.UpdateStatus(p, p.e.Client, node)
		}, "m2 (its Node is not Ready)"},
		"left off": {func(p *harness) {
			p.host("m2", func(h *metal3v1.BareMetalHost) { h.Status.PoweredOn = false })
			p.ended("m2")
		}, "host of machine m2, which RebootRemediation m2 left off"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlane(t, 3)
			tt.befalls(p)
			request := p.ask("m1")
			p.waitsFor(request, tt.says)
			request.Annotations = map[string]string{quorum.Permission: "true"}
			objects.Update(t, p.e.Client, request)
			if p.look(request).Status.Phase != v1alpha1.PoweringOff {
				t.Errorf("permitted, it is in phase %s: %+v", request.Status.Phase, request.Status.Conditions)
			}
		})
	}
}

// ended stores that a cycle of a machine has failed, and that its host did not come on.
func (h *harness) ended(name string) {
	status := in(v1alpha1.Failed).Status
	status.LastPoweredOn = nil
	h.stored(name, status)
}

func (h *harness) stored(name string, status v1alpha1.RebootRemediationStatus) {
	h.Helper()
	request := h.ask(name)
	request.Status = status
	machine := reread(h.T, h.e, &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: h.ns, Name: name}})
	host := reread(h.T, h.e, &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: h.ns, Name: name}})
	request.Status.MachineUID, request.Status.Host.Name, request.Status.Host.UID = machine.UID, name, host.UID
	objects.UpdateStatus(h, h.e.Client, request)
}

// TestPermittedByCluster: a person may permit the loss of the quorum for all machines of a Cluster.
func TestPermittedByCluster(t *testing.T) {
	p := newPlane(t, 3)
	p.host("m2", func(h *metal3v1.BareMetalHost) { h.Status.PoweredOn = false })
	request := p.ask("m1")
	p.waitsFor(request, "m2 (its host is off)")
	machine := reread(t, p.e, &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: "m1"}})
	cluster := build.Cluster(p.ns, machine.Spec.ClusterName)
	cluster.Annotations = map[string]string{quorum.Permission: "true"}
	build.Create(t.Context(), t, p.e.Client, cluster)
	if p.look(request).Status.Phase != v1alpha1.PoweringOff {
		t.Errorf("it is in phase %s: %+v", request.Status.Phase, request.Status.Conditions)
	}
}

// TestExternalEtcd: if etcd runs elsewhere, one other machine is enough.
func TestExternalEtcd(t *testing.T) {
	for name, tt := range map[string]struct {
		etcd  map[string]any
		waits bool
	}{
		"elsewhere":      {map[string]any{"external": map[string]any{"endpoints": []any{"https://192.0.2.1:2379"}}}, false},
		"here":           {map[string]any{"local": map[string]any{"dataDir": "/var/lib/etcd"}}, true},
		"nobody says so": {nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlane(t, 3)
			p.host("m2", func(h *metal3v1.BareMetalHost) { h.Status.PoweredOn = false })
			machine := reread(t, p.e, &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: "m1"}})
			cluster := build.Cluster(p.ns, machine.Spec.ClusterName)
			cluster.Spec.ControlPlaneRef = clusterv1.ContractVersionedObjectReference{APIGroup: controlPlaneKind.Group, Kind: controlPlaneKind.Kind, Name: "plane"}
			kubeadm := &unstructured.Unstructured{Object: map[string]any{}}
			kubeadm.SetGroupVersionKind(controlPlaneKind)
			kubeadm.SetNamespace(p.ns)
			kubeadm.SetName("plane")
			if err := unstructured.SetNestedMap(kubeadm.Object, tt.etcd, "spec", "kubeadmConfigSpec", "clusterConfiguration", "etcd"); err != nil {
				t.Fatal(err)
			}
			build.Create(t.Context(), t, p.e.Client, cluster, kubeadm)
			request := p.ask("m1")
			if tt.waits {
				p.waitsFor(request, "m2 (its host is off)")
				return
			}
			if p.look(request).Status.Phase != v1alpha1.PoweringOff {
				t.Errorf("it is in phase %s: %+v", request.Status.Phase, request.Status.Conditions)
			}
		})
	}
}

// TestSelfHosted: the host of a single control-plane machine is cycled only from another cluster. If it runs the management cluster,
// nobody could switch it on again. It also waits if this is not known.
func TestSelfHosted(t *testing.T) {
	for name, tt := range map[string]struct {
		workload func(*harness) workload.Writer
		says     string
	}{
		"elsewhere":      {func(p *harness) workload.Writer { return p.r.Workload }, ""},
		"here":           {func(p *harness) workload.Writer { return workload.Local{Live: p.e.Client, Config: p.e.Config} }, "it belongs to the management cluster"},
		"nobody can say": {func(p *harness) workload.Writer { return cutOff{p.r.Workload} }, "it belongs to what may be the management cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlane(t, 1)
			p.r.Workload = tt.workload(p)
			request := p.ask("m1")
			if tt.says != "" {
				p.waitsFor(request, tt.says)
				return
			}
			if p.look(request).Status.Phase != v1alpha1.PoweringOff {
				t.Errorf("it is in phase %s: %+v", request.Status.Phase, request.Status.Conditions)
			}
		})
	}
}

// cutOff is a workload cluster that cannot be reached.
type cutOff struct{ workload.Writer }

func (c cutOff) GetLive(context.Context, client.ObjectKey, string) (*corev1.Node, error) {
	return nil, &workload.UnreadableError{Cause: "the line is cut", Err: context.DeadlineExceeded}
}

func (c cutOff) Client(context.Context, client.ObjectKey) (client.Client, error) {
	return nil, &workload.UnreadableError{Cause: "the line is cut", Err: context.DeadlineExceeded}
}

// TestAllAtOnce: all machines of a control plane are to be cycled at the same moment, by workers whose caches do not show the others
// yet. Only one begins.
func TestAllAtOnce(t *testing.T) {
	p := newPlane(t, 3)
	var requests []*v1alpha1.RebootRemediation
	for _, name := range []string{"m1", "m2", "m3"} {
		requests = append(requests, p.ask(name))
	}
	// No worker reserves its place before all have read the peers.
	var ready sync.WaitGroup
	var reads atomic.Int32
	ready.Add(len(requests))
	p.r.Client = p.e.Intercept(t, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if all, ok := list.(*v1alpha1.RebootRemediationList); ok {
				all.Items = nil
				return nil
			}
			return c.List(ctx, list, opts...)
		},
	})
	p.r.Live = p.e.Intercept(t, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, machines := list.(*clusterv1.MachineList); machines && int(reads.Add(1)) <= len(requests) {
				ready.Done()
				ready.Wait()
			}
			return c.List(ctx, list, opts...)
		},
	})
	var all sync.WaitGroup
	for _, request := range requests {
		all.Go(func() {
			if _, err := p.r.Reconcile(t.Context(), requestFor(request)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	begun := 0
	for _, request := range requests {
		if cycle.InCycle(reread(t, p.e, request).Status.Phase) {
			begun++
		} else if reasonOf(request.Status, v1alpha1.ConditionSucceeded) != v1alpha1.ReasonThrottled {
			t.Errorf("another one is in phase %s: %s", request.Status.Phase, messageOf(request.Status))
		}
	}
	if begun != 1 {
		t.Errorf("%d have begun", begun)
	}
}

// TestCannotBeRead: an event says once that a fact for a decision cannot be read, and the controller looks again soon.
func TestCannotBeRead(t *testing.T) {
	p := newPlane(t, 3)
	request := p.ask("m1")
	p.r.Live = p.e.Intercept(t, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, machines := list.(*clusterv1.MachineList); machines {
				return errors.New("the API server has enough to do")
			}
			return c.List(ctx, list, opts...)
		},
	})
	for range 2 {
		if result, err := p.r.Reconcile(t.Context(), requestFor(request)); err != nil || result.RequeueAfter > lookForNode {
			t.Errorf("it is tried again after %s, error %v", result.RequeueAfter, err)
		}
	}
	if got := strings.Count(strings.Join(expect.Events(p.r.Recorder.(*events.FakeRecorder)), "\n"), "enough to do"); got != 1 {
		t.Errorf("reported %d times", got)
	}
}

// TestPlaneBeforeTheKey: a cycle that has begun, but has not reached the host, ends and does not count if the rest of the control plane is not up any
// more. A process may have died in between, or the write of the key may have been refused for long.
func TestPlaneBeforeTheKey(t *testing.T) {
	for name, tt := range map[string]struct {
		happens func(p *harness)
		want    v1alpha1.Phase
	}{
		"all are up":          {func(*harness) {}, v1alpha1.PoweringOff},
		"another host is off": {func(p *harness) { p.host("m2", func(h *metal3v1.BareMetalHost) { h.Status.PoweredOn = false }) }, v1alpha1.Aborted},
		"another one is cycled": {func(p *harness) {
			p.stored("m2", v1alpha1.RebootRemediationStatus{
				Phase: v1alpha1.PoweringOff, PendingRebootSince: new(metav1.Now()), Host: &v1alpha1.HostIdentity{},
			})
		}, v1alpha1.Aborted},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlane(t, 3)
			whole := p.r.Client
			p.r.Client = p.e.Intercept(t, interceptor.Funcs{
				Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
					if _, host := obj.(*metal3v1.BareMetalHost); host {
						return errors.New("a webhook does not answer")
					}
					return c.Patch(ctx, obj, patch, opts...)
				},
			})
			request := p.ask("m1")
			if _, err := p.r.Reconcile(t.Context(), requestFor(request)); err == nil {
				t.Fatal("the key is set")
			}
			tt.happens(p)
			p.r.Client = whole
			if got := p.look(request).Status.Phase; got != tt.want {
				t.Errorf("in phase %s, want %s", got, tt.want)
			}
			if held := heldOff(p, "m1", request); held != (tt.want == v1alpha1.PoweringOff) {
				t.Errorf("its host is kept off: %t", held)
			}
		})
	}
}

// TestHistoryLeavesNoHostOff: the cycles of a machine are kept with their records. Only the last one that ended can have left its host off, and only if
// the host did not come on in it.
func TestHistoryLeavesNoHostOff(t *testing.T) {
	m, host := machineOf(&clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{UID: "m-1"}}), &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{UID: "h-1"}}
	ended := func(name string, phase v1alpha1.Phase, after time.Duration) *v1alpha1.RebootRemediation {
		one := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: in(phase).Status}
		one.Status.FinishedAt, one.Status.LastPoweredOn = new(metav1.NewTime(noon.Add(after))), nil
		return one
	}
	first, second := ended("first", v1alpha1.Failed, 0), ended("second", v1alpha1.Succeeded, time.Hour)
	cameOn, other := ended("second", v1alpha1.Failed, time.Hour), ended("second", v1alpha1.Succeeded, time.Hour)
	cameOn.Status.LastPoweredOn, other.Status.MachineUID = &noon, "m-2"
	for name, tt := range map[string]struct {
		cycles []*v1alpha1.RebootRemediation
		want   string
	}{
		"none":                       {nil, ""},
		"it failed":                  {[]*v1alpha1.RebootRemediation{first}, "first"},
		"the next one has helped":    {[]*v1alpha1.RebootRemediation{second, first}, ""},
		"it came on in the next":     {[]*v1alpha1.RebootRemediation{first, cameOn}, ""},
		"that was another machine":   {[]*v1alpha1.RebootRemediation{first, other}, "first"},
		"the next one has not ended": {[]*v1alpha1.RebootRemediation{first, {Status: in(v1alpha1.Pending).Status}}, "first"},
	} {
		if got := leftOffBy(tt.cycles, m, host); got != tt.want {
			t.Errorf("%s: left off by %q, want %q", name, got, tt.want)
		}
	}
}
