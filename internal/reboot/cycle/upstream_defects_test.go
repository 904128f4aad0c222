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

// ended runs a cycle to its end.
func (w *model) ended(t *testing.T, limit time.Duration) v1alpha1.RebootRemediationStatus {
	t.Helper()
	w.t = t
	if !w.goOn(limit) {
		t.Fatalf("no end in sight, in phase %s", w.request.status.Phase)
	}
	w.checkAfterwards()
	return w.request.status
}

// TestUpstreamDefect_NoDeadline: upstream waited forever for a host that cannot be switched off, and did not ask the owner.
func TestUpstreamDefect_NoDeadline(t *testing.T) {
	for _, fault := range []string{"BMC is lost", "power fails", "power sticks", "operator stops"} {
		w := newModel()
		w.t = t
		faults[fault](w)
		if !w.goOn(2 * time.Hour) {
			t.Fatalf("%s: no end in sight", fault)
		}
		if s := w.request.status; s.Phase != v1alpha1.Failed || reasonOf(s, v1alpha1.ConditionSucceeded) != v1alpha1.ReasonPowerOffTimedOut {
			t.Errorf("%s: ended as %s, %+v", fault, s.Phase, s.Conditions)
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
	w := newModel()
	w.t, w.operator.onDelay = t, 40*time.Second
	w.setPower(false)
	w.host.poweredOn = false
	w.iron.target, w.iron.due = new(true), w.now.Add(w.operator.onDelay)
	w.run()
	if _, held := w.host.keys[simKey]; !held || w.request.status.Phase != v1alpha1.PoweringOff || w.workload.node == nil {
		t.Fatalf("in phase %s, with keys %v", w.request.status.Phase, w.host.keys)
	}
	// The model checks that no Node is touched while the host runs.
	if s := w.ended(t, time.Hour); s.Phase != v1alpha1.Succeeded {
		t.Errorf("ended as %s", s.Phase)
	}
}

// TestUpstreamDefect_FinalizerIsKept: upstream kept the finalizer after a failure, and when the Node or the Machine was gone.
func TestUpstreamDefect_FinalizerIsKept(t *testing.T) {
	for name, f := range map[string]Facts{
		"failed":            in(v1alpha1.Failed),
		"out of service":    in(v1alpha1.Failed, outOfServiceSince),
		"no Node":           in(v1alpha1.Failed, nodeGone),
		"no Machine":        in(v1alpha1.Aborted, machineGone),
		"no host":           in(v1alpha1.Failed, missing),
		"deleted meanwhile": in(v1alpha1.Failed, deleting),
	} {
		if d := Decide(f, noon.Time); d.Action != RemoveFinalizer {
			t.Errorf("%s: %s", name, d)
		}
	}
	if d := Decide(in(v1alpha1.WaitingForNode, machineGone), noon.Time); !d.Status.Phase.Ended() {
		t.Errorf("the Machine goes in the midst of it: %s", d)
	}
}

// TestUpstreamDefect_SwitchedOffInTheMidstOfIt: upstream ended the cycle when a user set spec.online=false, and left the key on the host.
func TestUpstreamDefect_SwitchedOffInTheMidstOfIt(t *testing.T) {
	w := newModel()
	w.t = t
	w.run()
	doings["online: false"](w)
	w.goOn(24 * time.Hour)
	if _, held := w.host.keys[simKey]; held || w.host.online || w.iron.power || w.request.status.Phase != v1alpha1.PoweringOn {
		t.Fatalf("in phase %s with keys %v, on %t", w.request.status.Phase, w.host.keys, w.iron.power)
	}
	doings["online: true"](w)
	if s := w.ended(t, time.Hour); s.Phase != v1alpha1.Succeeded {
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

// TestUpstreamDefect_PowerOffEatsTheBootBudget: upstream counted the time for the boot from the beginning, so a slow power-off led to a
// second cycle.
func TestUpstreamDefect_PowerOffEatsTheBootBudget(t *testing.T) {
	w := newModel()
	w.operator.offDelay, w.operator.onDelay, w.kubelet.bootTime = powerOffTimeout-time.Minute, powerOnTimeout-time.Minute, nodeTimeout-time.Minute
	if s := w.ended(t, 2*time.Hour); s.Phase != v1alpha1.Succeeded || w.seen.cycles != 1 {
		t.Errorf("ended as %s after %d cycles", s.Phase, w.seen.cycles)
	}
}

// TestUpstreamDefect_TaintIsShared: upstream wrote to one taint from all cycles. The race detector checks this.
func TestUpstreamDefect_TaintIsShared(t *testing.T) {
	before := OutOfService
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			w := newModel()
			w.t, w.request.spec.Isolation = t, v1alpha1.OutOfServiceTaint
			if !w.goOn(time.Hour) {
				t.Errorf("no end in sight, in phase %s", w.request.status.Phase)
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
	w := newModel()
	w.workload.node, w.machine.node = nil, ""
	if s := w.ended(t, time.Hour); s.Phase != v1alpha1.Succeeded || w.seen.cycles != 1 {
		t.Errorf("ended as %s after %d cycles", s.Phase, w.seen.cycles)
	}
}

// TestUpstreamDefect_WorkloadClusterBlocksFencing: upstream did not switch a host off if the workload cluster did not answer.
func TestUpstreamDefect_WorkloadClusterBlocksFencing(t *testing.T) {
	w := newModel()
	w.t, w.workload.down = t, true
	w.goOn(time.Minute)
	if w.request.status.PoweredOffAt == nil || w.iron.power {
		t.Errorf("in phase %s, on %t", w.request.status.Phase, w.iron.power)
	}
}

// TestUpstreamDefect_AllOfAControlPlane: in upstream, all machines of a control plane could be off at once. TestRestOfControlPlane checks
// which machines have to wait.
func TestUpstreamDefect_AllOfAControlPlane(t *testing.T) {
	w := newModel()
	w.t, w.throttled = t, true
	w.goOn(24 * time.Hour)
	if w.request.status.Phase != v1alpha1.Pending || !w.iron.power || len(w.host.keys) > 0 {
		t.Errorf("in phase %s, on %t, keys %v", w.request.status.Phase, w.iron.power, w.host.keys)
	}
	w.throttled = false
	if s := w.ended(t, time.Hour); s.Phase != v1alpha1.Succeeded {
		t.Errorf("ended as %s", s.Phase)
	}
}

// TestUpstreamDefect_FixedSleeps: upstream spent about ten seconds of a cycle in useless waits. If power takes no time, this one takes
// none until the host is released.
func TestUpstreamDefect_FixedSleeps(t *testing.T) {
	w := newModel()
	w.t, w.operator.lag, w.operator.onDelay, w.operator.offDelay = t, 0, 0, 0
	began := w.now
	for range 100 {
		w.run()
		w.advance(0)
		if w.request.status.PowerOnReleasedAt != nil {
			break
		}
		// The operator looks again after a moment.
		w.advance(simRetry / 3)
	}
	if took := w.now.Sub(began); w.request.status.PowerOnReleasedAt == nil || took > 2*simRetry {
		t.Errorf("let go of %v, after %s", w.request.status.PowerOnReleasedAt, took)
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
