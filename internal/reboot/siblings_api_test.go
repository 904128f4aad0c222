package reboot

import (
	"context"
	"strings"
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// ask makes a RebootRemediation for a machine; its name is that of the machine unless another one is given.
func (h *harness) ask(machine string, name ...string) *v1alpha1.RebootRemediation {
	h.Helper()
	return storedCycle(h.T, h.e, h.ns, append(name, machine)[0], machine)
}

const gone v1alpha1.Phase = "gone"

// look reconciles a RebootRemediation once, and returns its new state, with the phase gone if it no longer exists.
func (h *harness) look(request *v1alpha1.RebootRemediation) *v1alpha1.RebootRemediation {
	h.Helper()
	if _, err := h.r.Reconcile(h.Context(), requestFor(request)); err != nil {
		h.Fatal(err)
	}
	stored, exists := objects.Get(h, h.e.Client, request)
	if !exists {
		request.Status.Phase = gone
		return request
	}
	stored.DeepCopyInto(request)
	return request
}

func requestFor(obj client.Object) ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKeyFromObject(obj)}
}

func (h *harness) delete(request *v1alpha1.RebootRemediation) {
	h.Helper()
	objects.Delete(h, h.e.Client, request)
}

// keys returns our keys on the host.
func (h *harness) keys() []string {
	h.Helper()
	host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: h.ns, Name: "m"}}
	var keys []string
	for key := range reread(h.T, h.e, host).Annotations {
		if uid, ours := strings.CutPrefix(key, cycle.KeyPrefix); ours {
			keys = append(keys, uid)
		}
	}
	return keys
}

func (h *harness) held(by *v1alpha1.RebootRemediation) bool {
	h.Helper()
	keys := h.keys()
	return len(keys) == 1 && keys[0] == string(by.UID)
}

// TestTwoForOneMachine: two attempts cycle the same host one after the other. Each key has the UID of its RebootRemediation, so both could keep the
// host off at once; the second one waits, and says for which.
func TestTwoForOneMachine(t *testing.T) {
	s := newHarness(t)
	first, second := s.ask("m", "rec-1"), s.ask("m", "rec-2")
	if s.look(first).Status.Phase != v1alpha1.PoweringOff || !s.held(first) {
		t.Fatalf("the first is in phase %s", first.Status.Phase)
	}
	s.look(second)
	if second.Status.Phase != v1alpha1.Pending || reasonOf(second.Status, v1alpha1.ConditionSucceeded) != v1alpha1.ReasonThrottled || !s.held(first) {
		t.Fatalf("the second is in phase %s, %+v; the keys are %v", second.Status.Phase, second.Status.Conditions, s.keys())
	}
	if got := messageOf(second.Status); !strings.Contains(got, "RebootRemediation rec-1") {
		t.Errorf("the message is %q", got)
	}
	s.delete(first)
	s.look(first)
	if len(s.keys()) > 0 || first.Status.Phase != gone {
		t.Errorf("the first is in phase %s, and the keys are %v", first.Status.Phase, s.keys())
	}
	s.look(first)
	if s.look(second).Status.Phase != v1alpha1.PoweringOff || !s.held(second) {
		t.Errorf("then the second is in phase %s, and the keys are %v", second.Status.Phase, s.keys())
	}
}

// TestRequestsAreNoCycles: a RebootRemediation that no record has made only asks for one. It is left alone, and nobody waits for it.
func TestRequestsAreNoCycles(t *testing.T) {
	for name, by := range map[string]*v1alpha1.RebootRequester{
		"nobody says who": nil, "a person": {Kind: v1alpha1.RequestedByPerson}, "a health check": {Kind: v1alpha1.RequestedByHealthCheck},
	} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t)
			request := cycleOf(s.ns, "m", v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m"})
			request.Spec.RequestedBy = by
			build.Create(t.Context(), t, s.e.Client, request)
			if s.look(request).Status.Phase != "" || len(request.Finalizers) > 0 || len(s.keys()) > 0 {
				t.Errorf("it is in phase %s, with finalizers %v, and the keys are %v", request.Status.Phase, request.Finalizers, s.keys())
			}
			request.Status = in(v1alpha1.PoweringOff).Status
			objects.UpdateStatus(t, s.e.Client, request)
			if cycle := s.ask("m", "rec-1"); s.look(cycle).Status.Phase != v1alpha1.PoweringOff {
				t.Errorf("the cycle of a record is in phase %s: %s", cycle.Status.Phase, messageOf(cycle.Status))
			}
			if woken := s.r.reads().ofMachine(t.Context(), build.Machine(s.ns, "m")); len(woken) != 1 || woken[0].Name != "rec-1" {
				t.Errorf("an event of the Machine wakes %v", woken)
			}
		})
	}
}

// TestFirstMayHaveBegun: the first may have begun since the cache was updated, so it is read past the cache. If it is gone by then,
// nobody waits for it.
func TestFirstMayHaveBegun(t *testing.T) {
	s := newHarness(t)
	first, second := s.ask("m", "rec-0"), s.ask("m", "rec-1")
	old := *first.DeepCopy()
	s.look(first)
	s.r.Client = s.e.Intercept(t, interceptor.Funcs{
		List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
			list.(*v1alpha1.RebootRemediationList).Items = []v1alpha1.RebootRemediation{old}
			return nil
		},
	})
	if s.look(second).Status.Phase != v1alpha1.Pending || !s.held(first) {
		t.Fatalf("the second is in phase %s, with keys %v", second.Status.Phase, s.keys())
	}
	s.delete(first)
	s.look(first)
	if s.look(second).Status.Phase != v1alpha1.PoweringOff {
		t.Errorf("then it is in phase %s", second.Status.Phase)
	}
}

// beside makes a RebootRemediation with the status in f.
func (h *harness) beside(name string, machine v1alpha1.MachineReference, f cycle.Facts) *v1alpha1.RebootRemediation {
	h.Helper()
	request := cycleOf(h.ns, name, machine)
	build.Create(h.Context(), h.T, h.e.Client, request)
	request.Status = f.Status
	objects.UpdateStatus(h, h.e.Client, request)
	return request
}

// TestWokenByAnother: any change of a RebootRemediation wakes those that wait for it, and those of the same machine whose Node it may
// have taken over.
func TestWokenByAnother(t *testing.T) {
	s := newHarness(t)
	changed := s.beside("changed", v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m"}, in(v1alpha1.PoweringOff))
	s.beside("waits", v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m"}, in(v1alpha1.Pending))
	s.beside("waits-for-another-machine", v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "n"}, in(v1alpha1.Pending))
	s.beside("owes", v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m"}, in(v1alpha1.Failed, outOfServiceSince))
	s.beside("owes-another-machine", v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "n"}, in(v1alpha1.Failed, outOfServiceSince))
	s.beside("has-ended", v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m"}, in(v1alpha1.Failed, untouched))
	s.beside("is-at-work", v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "n"}, in(v1alpha1.PoweringOn))
	want := map[string]bool{"waits": true, "waits-for-another-machine": true, "owes": true}
	for _, request := range s.r.reads().waiting(t.Context(), changed) {
		if !want[request.Name] {
			t.Errorf("%s is woken", request.Name)
		}
		delete(want, request.Name)
	}
	if len(want) > 0 {
		t.Errorf("not woken are %v", want)
	}
}
