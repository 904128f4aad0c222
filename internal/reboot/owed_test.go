package reboot

import (
	"slices"
	"strings"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// TestFinalizersOfACycle: a running cycle has two finalizers. The one for the Node stays while the Node is owed something, even if the
// record deletes the cycle. When Sickbay gives up on that, it emits an event.
func TestFinalizersOfACycle(t *testing.T) {
	s := newHarness(t)
	request := s.ask("m")
	if s.look(request); !slices.Equal(request.Finalizers, []string{cycle.Finalizer, cycle.NodeFinalizer}) && !slices.Equal(request.Finalizers, []string{cycle.NodeFinalizer, cycle.Finalizer}) {
		t.Fatalf("at first the finalizers are %v", request.Finalizers)
	}
	request.Status.Node.OutOfService, request.Status.Phase, request.Status.FinishedAt = true, v1alpha1.Failed, request.Status.PendingRebootSince
	objects.UpdateStatus(t, s.e.Client, request)
	if s.look(request); len(s.keys()) > 0 || !slices.Equal(request.Finalizers, []string{cycle.NodeFinalizer}) {
		t.Fatalf("after the end the finalizers are %v, and the keys %v", request.Finalizers, s.keys())
	}
	s.delete(request)
	if s.look(request); !slices.Equal(request.Finalizers, []string{cycle.NodeFinalizer}) {
		t.Fatalf("it is deleted, and the finalizers are %v", request.Finalizers)
	}
	recorder := events.NewFakeRecorder(10)
	s.r.Recorder = recorder
	s.r.Clock = laterThan(s.r.Clock.Now(), time.Hour)
	if s.look(request).Status.Phase != gone {
		t.Errorf("it is given up, and the finalizers are %v", request.Finalizers)
	}
	select {
	case text := <-recorder.Events:
		if !strings.Contains(text, EventNodeGivenUp) {
			t.Errorf("people are told %q", text)
		}
	default:
		t.Error("people are not told")
	}
}

// TestRecordOfAMarkedHost: a record stays to remove the mark of its host when the host works again. If the record is deleted, for
// example by a health check, it waits for that no longer, but a host that works already loses its mark first.
func TestRecordOfAMarkedHost(t *testing.T) {
	for name, works := range map[string]bool{"it works again": true, "it does not": false} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t)
			request := s.look(s.ask("m"))
			ended := new(metav1.NewTime(s.r.Clock.Now().Add(-time.Hour)))
			request.Status.Phase, request.Status.FinishedAt, request.Status.HostMarkedSince = v1alpha1.Failed, ended, ended
			request.Status.Outcome = v1alpha1.ReasonPowerOffTimedOut
			objects.UpdateStatus(t, s.e.Client, request)
			s.works(request, false)
			if s.look(request); !s.marked() || !slices.Equal(request.Finalizers, []string{cycle.NodeFinalizer}) {
				t.Fatalf("the host is marked: %t; the finalizers are %v", s.marked(), request.Finalizers)
			}
			s.works(request, works)
			s.delete(request)
			if s.look(request); request.Status.Phase != gone || s.marked() == works {
				t.Errorf("in phase %s; the host is marked: %t", request.Status.Phase, s.marked())
			}
		})
	}
}

// works sets whether the Node of a cycle is Ready.
func (h *harness) works(request *v1alpha1.RebootRemediation, ready bool) {
	h.Helper()
	node := build.Node(request.Status.Node.Name)
	if err := h.e.Client.Get(h.Context(), client.ObjectKeyFromObject(node), node); err != nil {
		build.Create(h.Context(), h.T, h.e.Client, node)
	}
	status := map[bool]corev1.ConditionStatus{true: corev1.ConditionTrue, false: corev1.ConditionFalse}[ready]
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status, LastTransitionTime: metav1.NewTime(h.r.Clock.Now())}}
	objects.UpdateStatus(h, h.e.Client, node)
}

// marked reports whether the host has our mark.
func (h *harness) marked() bool {
	h.Helper()
	host := reread(h.T, h.e, &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: h.ns, Name: "m"}})
	return host.Annotations[cycle.UnhealthyKeys[0]] == cycle.UnhealthyByUs
}

// TestRefusedPartsAreNamed: if the workload cluster refuses one part, everything else is put back all the same.
func TestRefusedPartsAreNamed(t *testing.T) {
	s := newHarness(t)
	node := apiNode(t, s.e, nil)
	backup := &v1alpha1.NodeBackup{
		TakenAt: noon, Labels: map[string]string{"a": "1", "refused": "not a value!", "z": "2"}, Annotations: map[string]string{"note": "3"},
		Taints: []corev1.Taint{{Key: "team", Value: "a", Effect: corev1.TaintEffectNoSchedule}}, Unschedulable: true,
	}
	err := nodeWriter{s.e.Client}.restore(t.Context(), node, backup)
	if err == nil || !strings.Contains(err.Error(), "label refused") || strings.Contains(err.Error(), "label a") {
		t.Errorf("the error is %v", err)
	}
	got := reread(t, s.e, node)
	if left := cycle.Missing(backup, got); left.String() != "label refused" {
		t.Errorf("what is left is %s", left)
	}
	objects.Delete(t, s.e.Client, got)
	if err := (nodeWriter{s.e.Client}).restore(t.Context(), node, backup); err == nil {
		t.Error("a Node that is gone was served")
	}
}

// laterThan returns a stopped clock that shows a later time.
func laterThan(now time.Time, d time.Duration) clock.PassiveClock {
	return testingclock.NewFakePassiveClock(now.Add(d))
}

// TestNodeKeepsItsProviderID takes a machine through a whole cycle. Its kubelet does not know its provider ID: Cluster API's provider
// for Metal3 has set it, once, before the Machine had its nodeRef.
func TestNodeKeepsItsProviderID(t *testing.T) {
	p := newPlane(t, 1)
	node := reread(t, p.e, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: p.node("m1")}})
	id := node.Spec.ProviderID
	request := p.ask("m1")
	if got := p.look(request).Status.Phase; got != v1alpha1.PoweringOff {
		t.Fatalf("in phase %s", got)
	}
	p.host("m1", func(h *metal3v1.BareMetalHost) {
		delete(h.Annotations, cycle.ProbeKey)
		h.Status.PoweredOn = false
	})
	if got := p.look(request).Status; got.Phase != v1alpha1.PoweringOn || got.NodeGoneAt == nil {
		t.Fatalf("in phase %s: %+v", got.Phase, got)
	}
	p.host("m1", func(h *metal3v1.BareMetalHost) { h.Status.PoweredOn = true })
	fresh := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
	build.Create(t.Context(), t, p.e.Client, fresh)
	fresh.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now()}}
	objects.UpdateStatus(t, p.e.Client, fresh)
	request = p.look(request)
	if got := reread(t, p.e, fresh).Spec.ProviderID; request.Status.Phase != v1alpha1.Succeeded || got != id || id == "" {
		t.Errorf("the cycle is %s, and the Node has the provider ID %q, want %q", request.Status.Phase, got, id)
	}
}
