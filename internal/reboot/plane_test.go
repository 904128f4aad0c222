package reboot

import (
	"context"
	"errors"
	"slices"
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
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// plane is a control plane on the API server. Its machines are m1 and so on, on hosts of the same names, and all are up.
type plane struct {
	*testing.T
	e  *env.Env
	r  *Reconciler
	ns string
}

func newPlane(t *testing.T, size int) *plane {
	t.Helper()
	e := env.Get(t)
	p := &plane{T: t, e: e, ns: e.Namespace(t)}
	for i := range size {
		p.join("m"+string(rune('1'+i)), build.ControlPlane())
	}
	p.r = newReconciler(e, ClusterAPIKind, apart{workload.Local{Live: e.Client, Config: e.Config}})
	return p
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

func (p *plane) join(name string, opts ...build.MachineOption) {
	p.Helper()
	infra := &unstructured.Unstructured{}
	infra.SetGroupVersionKind(infrastructureKind)
	infra.SetNamespace(p.ns)
	infra.SetName(name)
	infra.SetAnnotations(map[string]string{HostAnnotation: p.ns + "/" + name})
	machine := build.Machine(p.ns, name, append(opts, build.NodeRef(p.node(name)))...)
	machine.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: infrastructureKind.Group, Kind: infrastructureKind.Kind, Name: name}
	host := &metal3v1.BareMetalHost{}
	host.Namespace, host.Name = p.ns, name
	host.Spec.Online = true
	host.Spec.ConsumerRef = &corev1.ObjectReference{APIVersion: infrastructureKind.GroupVersion().String(), Kind: infrastructureKind.Kind, Namespace: p.ns, Name: name}
	host.Status = metal3v1.BareMetalHostStatus{PoweredOn: true, Provisioning: metal3v1.ProvisionStatus{State: metal3v1.StateProvisioned}}
	build.Create(p.Context(), p.T, p.e.Client, infra, machine, host, build.Node(p.node(name)))
}

func (p *plane) node(name string) string { return p.ns + "-" + name }

// ask makes a RebootRemediation for a machine.
func (p *plane) ask(name string) *v1alpha1.RebootRemediation {
	p.Helper()
	return storedCycle(p.T, p.e, p.ns, name, name)
}

// look reconciles a RebootRemediation once, and returns its new state.
func (p *plane) look(request *v1alpha1.RebootRemediation) *v1alpha1.RebootRemediation {
	p.Helper()
	if _, err := p.r.Reconcile(p.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(request)}); err != nil {
		p.Fatal(err)
	}
	return reread(p.T, p.e, request)
}

func (p *plane) host(name string, change func(*metal3v1.BareMetalHost)) {
	p.Helper()
	host := reread(p.T, p.e, &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: name}})
	status := host.Status
	change(host)
	changed := host.Status
	host.Status = status
	if err := p.e.Client.Update(p.Context(), host); err != nil {
		p.Fatal(err)
	}
	host.Status = changed
	if err := p.e.Client.Status().Update(p.Context(), host); err != nil {
		p.Fatal(err)
	}
}

func (p *plane) machine(name string, change func(*clusterv1.Machine)) {
	p.Helper()
	machine := reread(p.T, p.e, &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: name}})
	change(machine)
	if err := p.e.Client.Status().Update(p.Context(), machine); err != nil {
		p.Fatal(err)
	}
}

// waitsFor fails the test unless a RebootRemediation waits in line, and says so.
func (p *plane) waitsFor(request *v1alpha1.RebootRemediation, says string) {
	p.Helper()
	p.look(request)
	if request.Status.Phase != v1alpha1.Pending || reasonOf(request.Status, v1alpha1.ConditionSucceeded) != v1alpha1.ReasonThrottled {
		p.Fatalf("in phase %s: %+v", request.Status.Phase, request.Status.Conditions)
	}
	if got := messageOf(request.Status); !strings.Contains(got, says) {
		p.Errorf("it says %q, want %q in it", got, says)
	}
}

// TestRestOfControlPlane: a host is switched off only while the rest of the control plane is up. Any trouble of another machine
// counts, and is named.
func TestRestOfControlPlane(t *testing.T) {
	sick := metav1.Condition{Type: verdict.ConditionType, Status: metav1.ConditionFalse, Reason: "X", LastTransitionTime: metav1.Now()}
	for name, tt := range map[string]struct {
		befalls func(*plane)
		says    string
	}{
		"sick": {func(p *plane) {
			p.machine("m2", func(m *clusterv1.Machine) { m.Status.Conditions = []metav1.Condition{sick} })
		}, "m2 (it is not healthy)"},
		"going": {func(p *plane) {
			m := reread(p.T, p.e, &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: "m2"}})
			m.Finalizers = []string{"sickbay.dev/test"}
			for _, err := range []error{p.e.Client.Update(p.Context(), m), p.e.Client.Delete(p.Context(), m)} {
				if err != nil {
					p.Fatal(err)
				}
			}
		}, "m2 (it is being deleted)"},
		"not joined": {func(p *plane) {
			p.machine("m2", func(m *clusterv1.Machine) { m.Status.NodeRef = clusterv1.MachineNodeReference{} })
		}, "m2 (it has no Node yet)"},
		"held off": {func(p *plane) {
			p.host("m2", func(h *metal3v1.BareMetalHost) {
				h.Annotations = map[string]string{"reboot.metal3.io/a-person": ""}
			})
		}, "m2 (its host is kept off)"},
		"wanted off": {func(p *plane) {
			p.host("m2", func(h *metal3v1.BareMetalHost) { h.Spec.Online = false })
		}, "m2 (its host is kept off)"},
		"off": {func(p *plane) {
			p.host("m2", func(h *metal3v1.BareMetalHost) { h.Status.PoweredOn = false })
		}, "m2 (its host is off)"},
		"without its Node": {func(p *plane) {
			if err := p.e.Client.Delete(p.Context(), build.Node(p.node("m2"))); err != nil {
				p.Fatal(err)
			}
		}, "m2 (its Node is gone)"},
		"not Ready": {func(p *plane) {
			node := reread(p.T, p.e, build.Node(p.node("m2")))
			setReady(node, corev1.ConditionFalse, time.Now())
			if err := p.e.Client.Status().Update(p.Context(), node); err != nil {
				p.Fatal(err)
			}
		}, "m2 (its Node is not Ready)"},
		"left off": {func(p *plane) {
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
			if err := p.e.Client.Update(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			if p.look(request).Status.Phase != v1alpha1.PoweringOff {
				t.Errorf("permitted, it is in phase %s: %+v", request.Status.Phase, request.Status.Conditions)
			}
		})
	}
}

// ended stores that a cycle of a machine has failed, and that its host did not come on.
func (p *plane) ended(name string) {
	status := in(v1alpha1.Failed).Status
	status.LastPoweredOn = nil
	p.stored(name, status)
}

func (p *plane) stored(name string, status v1alpha1.RebootRemediationStatus) {
	p.Helper()
	request := p.ask(name)
	request.Status = status
	machine := reread(p.T, p.e, &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: name}})
	host := reread(p.T, p.e, &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: name}})
	request.Status.MachineUID, request.Status.Host.Name, request.Status.Host.UID = machine.UID, name, host.UID
	if err := p.e.Client.Status().Update(p.Context(), request); err != nil {
		p.Fatal(err)
	}
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
		workload func(*plane) workload.Writer
		says     string
	}{
		"elsewhere":      {func(p *plane) workload.Writer { return p.r.Workload }, ""},
		"here":           {func(p *plane) workload.Writer { return workload.Local{Live: p.e.Client, Config: p.e.Config} }, "it belongs to the management cluster"},
		"nobody can say": {func(p *plane) workload.Writer { return cutOff{p.r.Workload} }, "it belongs to what may be the management cluster"},
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
			if _, err := p.r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(request)}); err != nil {
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

// TestCannotBeRead: an event says once that a fact for a decision cannot be read, and once more when it happens again.
func TestCannotBeRead(t *testing.T) {
	p := newPlane(t, 3)
	request := p.ask("m1")
	broken := true
	p.r.Live = p.e.Intercept(t, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, machines := list.(*clusterv1.MachineList); machines && broken {
				return errors.New("the API server has enough to do")
			}
			return c.List(ctx, list, opts...)
		},
	})
	fail := func() {
		t.Helper()
		if result, err := p.r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(request)}); err != nil || result.RequeueAfter > lookForNode {
			t.Errorf("it is tried again after %s, error %v", result.RequeueAfter, err)
		}
	}
	reported := func() int {
		return len(slices.DeleteFunc(expect.Events(p.r.Recorder.(*events.FakeRecorder)), func(event string) bool {
			return !strings.Contains(event, EventStepFailed) || !strings.Contains(event, "enough to do")
		}))
	}
	fail()
	fail()
	if got := reported(); got != 1 {
		t.Errorf("reported %d times", got)
	}
	p.host("m2", func(h *metal3v1.BareMetalHost) { h.Status.PoweredOn = false })
	broken = false
	p.waitsFor(request, "m2 (its host is off)")
	broken = true
	fail()
	if got := reported(); got != 1 {
		t.Errorf("then reported %d times", got)
	}
}

// TestPlaneBeforeTheKey: a cycle that has begun, but has not reached the host, ends and does not count if the rest of the control plane is not up any
// more. A process may have died in between, or the write of the key may have been refused for long.
func TestPlaneBeforeTheKey(t *testing.T) {
	for name, tt := range map[string]struct {
		happens func(p *plane)
		want    v1alpha1.Phase
	}{
		"all are up":          {func(*plane) {}, v1alpha1.PoweringOff},
		"another host is off": {func(p *plane) { p.host("m2", func(h *metal3v1.BareMetalHost) { h.Status.PoweredOn = false }) }, v1alpha1.Aborted},
		"another one is cycled": {func(p *plane) {
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
			if _, err := p.r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(request)}); err == nil {
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
