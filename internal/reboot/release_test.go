package reboot

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// begunOf makes a cycle of m1 that keeps its host off, and changes its status.
func begunOf(p *harness, change func(*v1alpha1.RebootRemediation)) *v1alpha1.RebootRemediation {
	p.Helper()
	request := p.ask("m1")
	if p.look(request).Status.Phase != v1alpha1.PoweringOff {
		p.Fatalf("in phase %s: %+v", request.Status.Phase, request.Status.Conditions)
	}
	change(request)
	objects.UpdateStatus(p, p.e.Client, request)
	return request
}

func heldOff(p *harness, name string, request *v1alpha1.RebootRemediation) bool {
	host := reread(p.T, p.e, &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: name}})
	_, held := host.Annotations[cycle.KeyOf(request.UID)]
	return held
}

func unchanged(*v1alpha1.RebootRemediation) {}

// refusing returns a live reader that fails for some objects.
func (h *harness) refusing(err error, refused func(client.Object) bool) client.Reader {
	h.Helper()
	return h.e.Intercept(h.T, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if obj.SetName(key.Name); refused(obj) {
				return err
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
}

var errRefused = errors.New("refused by the test")

func isMachine(obj client.Object) bool { _, is := obj.(*clusterv1.Machine); return is }

func isHost(obj client.Object) bool { _, is := obj.(*metal3v1.BareMetalHost); return is }

func isInfrastructure(obj client.Object) bool {
	_, is := obj.(*metav1.PartialObjectMetadata)
	return is
}

// TestReleaseNeedsOnlyTheHost: when a request is withdrawn, its host is released, even if nothing else can be read. One that has not begun goes at once.
func TestReleaseNeedsOnlyTheHost(t *testing.T) {
	peer := func(obj client.Object) bool { return isInfrastructure(obj) && obj.GetName() == "m2" }
	fenced := func(r *v1alpha1.RebootRemediation) {
		at := new(metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second)))
		r.Status.Phase, r.Status.PoweredOffAt, r.Status.IsolatingSince, r.Status.SeenOnAt = v1alpha1.Fenced, at, at, at
	}
	begun := func(p *harness) *v1alpha1.RebootRemediation { return begunOf(p, unchanged) }
	fencedLongAgo := func(p *harness) *v1alpha1.RebootRemediation { return begunOf(p, fenced) }
	pending := func(p *harness) *v1alpha1.RebootRemediation {
		request := p.ask("m1", "pending")
		request.Finalizers = []string{cycle.Finalizer}
		objects.Update(p, p.e.Client, request)
		return request
	}
	full := func(p *harness) {
		p.r.places.Most = 1
		_, err := p.r.places.Enter(machineOf(reread(p.T, p.e, build.Machine(p.ns, "m1"))).cluster)
		if err != nil {
			p.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		begin   func(*harness) *v1alpha1.RebootRemediation
		happens func(*harness)
		left    bool
	}{
		"another machine":              {begun, func(p *harness) { p.r.Live = p.refusing(errRefused, peer) }, false},
		"another machine, not begun":   {pending, func(p *harness) { p.r.Live = p.refusing(errRefused, peer) }, false},
		"its Machine":                  {begun, func(p *harness) { p.r.Live = p.refusing(errRefused, isMachine) }, true},
		"its infrastructure machine":   {begun, func(p *harness) { p.r.Live = p.refusing(errRefused, isInfrastructure) }, true},
		"no place in the cluster":      {begun, full, false},
		"no place, fenced an hour ago": {fencedLongAgo, full, false},
		"others wait for the cluster":  {begun, func(p *harness) { p.r.Workload = busy{p.r.Workload} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlane(t, 3)
			request := tt.begin(p)
			tt.happens(p)
			if p.look(request); tt.left && !heldOff(p, "m1", request) {
				t.Error("its host is released before the request is withdrawn")
			}
			p.delete(request)
			for range 5 {
				if p.look(request).Status.Phase == gone {
					break
				}
			}
			if heldOff(p, "m1", request) || (request.Status.Phase != gone) != tt.left {
				t.Errorf("in phase %s, with finalizers %v; its host is kept off: %t", request.Status.Phase, request.Finalizers, heldOff(p, "m1", request))
			}
			p.r.Live = p.e.Client
			if tt.left && p.look(request).Status.Phase != gone {
				t.Errorf("then it is in phase %s, with finalizers %v", request.Status.Phase, request.Finalizers)
			}
		})
	}
}

// TestStaleRecord: a new leader may have an old record in its cache. It does nothing that a later status has made wrong.
func TestStaleRecord(t *testing.T) {
	s := newHarness(t)
	request := s.ask("m")
	s.look(request)
	old := request.DeepCopy()
	s.delete(request)
	if s.look(request); len(s.keys()) > 0 {
		t.Fatalf("after the release, the keys are %v", s.keys())
	}
	v, err := s.r.reads().observe(t.Context(), old, &clusterPlace{places: &s.r.places})
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range []cycle.Action{cycle.SetKey, cycle.RemoveKey, cycle.DeleteNode, cycle.TaintNode, cycle.UntaintNode, cycle.RestoreNode, cycle.DropAsked, cycle.DropFull} {
		err := s.r.writes().do(t.Context(), v, cycle.Decision{Action: action, ProbedAt: noon.Time})
		if slices.Contains([]cycle.Action{cycle.RemoveKey}, action) {
			continue // The host may be released all the same.
		}
		if err == nil || len(s.keys()) > 0 {
			t.Errorf("%s: %v; the keys are %v", action, err, s.keys())
		}
	}
}

// TestNoRightSaysNothingAboutTheHost: Sickbay may not read the infrastructure machine, as while its role is replaced. It does not know whether there is a
// host. So the cycle does not end as one that can never begin (Failed, HostUnavailable): its record would go on with Replace, and wipe the disks.
func TestNoRightSaysNothingAboutTheHost(t *testing.T) {
	s := newHarness(t)
	request := s.ask("m")
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: infrastructureKind.Group, Resource: "metal3machines"}, "m", errors.New("no rights"))
	s.r.Live = s.refusing(forbidden, isInfrastructure)
	clock := testingclock.NewFakePassiveClock(time.Now())
	s.r.Clock = clock
	for range 3 {
		s.look(request)
		clock.SetTime(clock.Now().Add(11 * time.Minute))
	}
	if status := request.Status; status.Phase == v1alpha1.Failed && status.BeganAt == nil {
		t.Errorf("it is %s, %s: %s", status.Phase, status.Outcome, messageOf(status))
	}
}

// TestNothingBeginsBlind: while the Machine or its infrastructure machine cannot be read, a cycle does not begin, and is tried again.
func TestNothingBeginsBlind(t *testing.T) {
	for _, refused := range []func(client.Object) bool{isMachine, isInfrastructure, isHost} {
		s := newHarness(t)
		request := s.ask("m")
		s.r.Live = s.refusing(errRefused, refused)
		if _, err := s.r.Reconcile(t.Context(), requestFor(request)); !errors.Is(err, errRefused) || len(s.keys()) > 0 {
			t.Errorf("error %v, and the keys are %v", err, s.keys())
		}
	}
}

// busy is a workload cluster that somebody else is already waiting for.
type busy struct{ workload.Writer }

func (busy) GetLive(context.Context, client.ObjectKey, string) (*corev1.Node, error) {
	return nil, &workload.UnreadableError{Cause: "c", Err: workload.ErrBusy}
}

// TestBusyCluster: a cycle that has not begun waits in line to read its Node.
func TestBusyCluster(t *testing.T) {
	p := newPlane(t, 3)
	request := p.ask("m1")
	free := p.r.Workload
	p.r.Workload = busy{free}
	for range 5 {
		result, err := p.r.Reconcile(t.Context(), requestFor(request))
		if err != nil {
			t.Fatal(err)
		}
		if got := reread(t, p.e, request).Status.Phase; got == v1alpha1.PoweringOff {
			t.Error("it has begun without having read its Node")
		} else if got == v1alpha1.Pending && result.RequeueAfter != busyRetry {
			t.Errorf("it is looked at again after %s", result.RequeueAfter)
		}
	}
	p.r.Workload = free
	if got := p.look(request).Status.Phase; got != v1alpha1.PoweringOff {
		t.Errorf("when it is let in, it is in phase %s", got)
	}
}

// TestClusterPlace: a Reconcile keeps its place in a workload cluster until it gives it up, and then the next one gets in.
func TestClusterPlace(t *testing.T) {
	places, cluster := &workload.Places{Most: 1}, client.ObjectKey{Name: "c"}
	first, second := &clusterPlace{places: places}, &clusterPlace{places: places}
	for range 3 {
		if err := first.take(cluster); err != nil {
			t.Fatal(err)
		}
		if err := second.take(cluster); !errors.Is(err, workload.ErrNoPlace) {
			t.Errorf("the second one: %v", err)
		}
	}
	second.giveUp()
	if err := second.take(cluster); !errors.Is(err, workload.ErrNoPlace) {
		t.Errorf("the second one, who was never in: %v", err)
	}
	first.giveUp()
	if err := second.take(cluster); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
