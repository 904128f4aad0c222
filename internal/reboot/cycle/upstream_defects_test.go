package cycle

import (
	"slices"
	"sync"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// The tests named TestUpstreamDefect show defects of the controller in use today. Those that need an API server have their own file.

// TestUpstreamDefect_NoDeadline: upstream waited forever for a host that cannot be switched off, and did not ask the owner.
func TestUpstreamDefect_NoDeadline(t *testing.T) {
	for name, never := range map[string]change{"it stays on": on, "its BMC is lost": obstacleIs(v1alpha1.ReasonPowerManagementError)} {
		w := play(t, in("", never))
		w.still = true
		if !w.goOn(2 * time.Hour) {
			t.Fatalf("%s: no end in sight", name)
		}
		if s := w.f.Status; s.Phase != v1alpha1.Failed || s.Outcome != v1alpha1.ReasonPowerOffTimedOut || !w.f.Host.UnhealthyByUs {
			t.Errorf("%s: ended as %s, %+v", name, s.Phase, s.Conditions)
		}
	}
}

// TestUpstreamDefect_PoweredOnIsBelieved: upstream believed what a host said about its power in any state.
func TestUpstreamDefect_PoweredOnIsBelieved(t *testing.T) {
	for name, change := range map[string]func(*metal3v1.BareMetalHost){
		"paused":    func(h *metal3v1.BareMetalHost) { h.Annotations = map[string]string{metal3v1.PausedAnnotation: ""} },
		"detached":  func(h *metal3v1.BareMetalHost) { h.Annotations = map[string]string{metal3v1.DetachedAnnotation: ""} },
		"being so":  func(h *metal3v1.BareMetalHost) { h.Status.OperationalStatus = metal3v1.OperationalStatusDetached },
		"servicing": func(h *metal3v1.BareMetalHost) { h.Status.OperationalStatus = metal3v1.OperationalStatusServicing },
		"error":     func(h *metal3v1.BareMetalHost) { h.Status.ErrorType = metal3v1.PowerManagementError },
		"no BMC": func(h *metal3v1.BareMetalHost) {
			h.Status.Conditions = []metav1.Condition{{Type: metal3v1.ManageableCondition, Status: metav1.ConditionFalse, Reason: "PowerFailure"}}
		},
		"unprovisioned": func(h *metal3v1.BareMetalHost) { h.Status.Provisioning.State = metal3v1.StateDeprovisioning },
	} {
		host := &metal3v1.BareMetalHost{}
		host.Status.Provisioning.State = metal3v1.StateProvisioned
		change(host)
		f := in(v1alpha1.PoweringOff, keyed, keySeen, seenOn, off)
		f.Host.Obstacle, f.Host.Message = obstacle(host)
		if got := Decide(f, noon.Time).Status.Phase; got != v1alpha1.PoweringOff {
			t.Errorf("%s: phase %s", name, got)
		}
		f = in(v1alpha1.Isolating)
		f.Host.Obstacle, f.Host.Message = obstacle(host)
		if got := Decide(f, noon.Time); got.Action == DeleteNode || got.Status.Phase != v1alpha1.PoweringOff {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestUpstreamDefect_OffForAnotherReason: upstream took a host that was off, and on its way up, for fenced at the next look.
func TestUpstreamDefect_OffForAnotherReason(t *testing.T) {
	w := play(t, in("", off))
	w.playUntil(v1alpha1.PoweringOff)
	// It comes on although it says that it is off, and its operator sees that late.
	w.goOn(settleTime - moment)
	if !w.f.Host.Key || w.f.Status.Phase != v1alpha1.PoweringOff || w.f.Node.State != NodeFound {
		t.Fatalf("in phase %s, with the key %t", w.f.Status.Phase, w.f.Host.Key)
	}
	on(&w.f)
	if s := w.ended(time.Hour); s.Phase != v1alpha1.Succeeded || w.cycles != 1 {
		t.Errorf("ended as %s after %d cycles", s.Phase, w.cycles)
	}
}

// TestUpstreamDefect_SwitchedOffInTheMidstOfIt: upstream ended the cycle when a user set spec.online=false, and left the key on the host.
func TestUpstreamDefect_SwitchedOffInTheMidstOfIt(t *testing.T) {
	w := play(t, in(""))
	w.goOnUntil(time.Minute, func() bool { return w.f.Host.Key })
	userOff(&w.f)
	w.goOn(24 * time.Hour)
	if h := w.f.Host; h.Key || h.PoweredOn || w.f.Status.Phase != v1alpha1.PoweringOn {
		t.Fatalf("in phase %s the host is %+v", w.f.Status.Phase, h)
	}
	w.f.Host.Online = true
	if s := w.ended(time.Hour); s.Phase != v1alpha1.Succeeded {
		t.Errorf("ended as %s", s.Phase)
	}
}

// TestUpstreamDefect_TaintsAndCordonAreForgotten: upstream did not keep them, and stored the rest in annotations, where it could be too
// long.
func TestUpstreamDefect_TaintsAndCordonAreForgotten(t *testing.T) {
	team := corev1.Taint{Key: "team", Value: "a", Effect: corev1.TaintEffectNoSchedule}
	long := map[string]string{"note": string(slices.Repeat([]byte("x"), 200<<10))}
	node := corev1.Node{ObjectMeta: metav1.ObjectMeta{Annotations: long}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{team}, Unschedulable: true}}
	backup := backupOfNode(t, node)
	missing := Missing(backup, &corev1.Node{})
	if !missing.Cordon || len(missing.Taints) != 1 || missing.Taints[0] != team || missing.Annotations["note"] != long["note"] {
		t.Errorf("put back are %d annotations, taints %v, cordon %t", len(missing.Annotations), missing.Taints, missing.Cordon)
	}
}

// TestUpstreamDefect_TaintIsShared: upstream wrote to one taint from all cycles. The race detector checks this.
func TestUpstreamDefect_TaintIsShared(t *testing.T) {
	before := OutOfService
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if w := play(t, in("", taints)); !w.goOn(time.Hour) {
				t.Errorf("no end in sight, in phase %s", w.f.Status.Phase)
			}
		})
	}
	all.Wait()
	if OutOfService != before {
		t.Errorf("the taint is %+v", OutOfService)
	}
}

// TestUpstreamDefect_NeverJoined: upstream retried forever for a machine without a Node.
func TestUpstreamDefect_NeverJoined(t *testing.T) {
	w := play(t, in("", nodeNone))
	if s := w.ended(time.Hour); s.Phase != v1alpha1.Succeeded || w.cycles != 1 {
		t.Errorf("ended as %s after %d cycles", s.Phase, w.cycles)
	}
}

// TestUpstreamDefect_WorkloadClusterBlocksFencing: upstream did not switch a host off if the workload cluster did not answer.
func TestUpstreamDefect_WorkloadClusterBlocksFencing(t *testing.T) {
	w := play(t, in("", nodeUnreadable))
	w.goOn(time.Minute)
	if w.f.Status.PoweredOffAt == nil || w.f.Host.PoweredOn {
		t.Errorf("in phase %s, on %t", w.f.Status.Phase, w.f.Host.PoweredOn)
	}
}

// TestUpstreamDefect_AllOfAControlPlane: in upstream, all machines of a control plane could be off at once. TestRestOfControlPlane checks
// which machines have to wait.
func TestUpstreamDefect_AllOfAControlPlane(t *testing.T) {
	w := play(t, in("", throttled))
	w.goOn(24 * time.Hour)
	if h := w.f.Host; w.f.Status.Phase != v1alpha1.Pending || !h.PoweredOn || h.Key {
		t.Errorf("in phase %s the host is %+v", w.f.Status.Phase, h)
	}
	w.f.Throttled = ""
	if s := w.ended(time.Hour); s.Phase != v1alpha1.Succeeded {
		t.Errorf("ended as %s", s.Phase)
	}
}

// TestUpstreamDefect_FixedSleeps: upstream spent about ten seconds of a cycle in useless waits. If power takes no time, this one takes
// none until the host is released.
func TestUpstreamDefect_FixedSleeps(t *testing.T) {
	w := play(t, in(""))
	w.offDelay, w.onDelay = 0, 0
	w.playUntil(v1alpha1.PoweringOn)
	// Its operator takes a second to answer.
	if took := w.now.Sub(noon.Time); took > time.Second {
		t.Errorf("it takes %s", took)
	}
}

// TestUpstreamDefect_HostOfAnotherMachine: upstream did not check that the machine still uses the host.
func TestUpstreamDefect_HostOfAnotherMachine(t *testing.T) {
	host := &metal3v1.BareMetalHost{}
	host.Spec.ConsumerRef = &corev1.ObjectReference{APIVersion: "infrastructure.cluster.x-k8s.io/v1beta1", Kind: "Metal3Machine", Namespace: "ns", Name: "another"}
	mine := Consumer{Group: "infrastructure.cluster.x-k8s.io", Kind: "Metal3Machine", Namespace: "ns", Name: "m"}
	for _, phase := range []v1alpha1.Phase{v1alpha1.Pending, v1alpha1.PoweringOff, v1alpha1.Isolating} {
		f := in(phase)
		f.Host.Ours = HostFactsOf(host, "r-1", mine).Ours
		if d := Decide(f, noon.Time); d.Action != Nothing || !d.Status.Phase.Ended() {
			t.Errorf("%s: %s", phase, d)
		}
	}
	host.Spec.ConsumerRef.Name = "m"
	if !mine.uses(host) {
		t.Error("its own machine may not have it")
	}
}
