package v1alpha1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// phases are all that there are, and whether they are ends.
var phases = map[v1alpha1.Phase]bool{
	v1alpha1.Pending: false, v1alpha1.PoweringOff: false, v1alpha1.Fenced: false, v1alpha1.Isolating: false, v1alpha1.Holding: false,
	v1alpha1.PoweringOn: false, v1alpha1.WaitingForNode: false, v1alpha1.Restoring: false, v1alpha1.CoolingDown: false,
	v1alpha1.Succeeded: true, v1alpha1.Failed: true, v1alpha1.Aborted: true,
}

func TestEnded(t *testing.T) {
	for phase, want := range phases {
		if got := phase.Ended(); got != want {
			t.Errorf("%s.Ended() is %t, want %t", phase, got, want)
		}
	}
	if v1alpha1.Phase("").Ended() {
		t.Error("what has not begun has ended")
	}
}

// TestStatusIsASubresource: each of the two ways to write an object leaves alone what is not its own.
func TestStatusIsASubresource(t *testing.T) {
	e := env.Get(t)
	object := remediation(e.Namespace(t), "m", v1alpha1.RebootSettings{})
	object.Status.Phase = v1alpha1.Succeeded
	if err := e.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, e.Client, object).Status.Phase; got != "" {
		t.Errorf("after creation the phase is %s: whoever creates an object writes its status", got)
	}

	object.Status.Phase = v1alpha1.PoweringOff
	object.Labels = map[string]string{"a": "b"}
	if err := e.Client.Status().Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	got := stored(t, e.Client, object)
	if got.Status.Phase != v1alpha1.PoweringOff || len(got.Labels) > 0 || got.Generation != 1 {
		t.Errorf("after a write of the status: phase %q, labels %v, generation %d", got.Status.Phase, got.Labels, got.Generation)
	}

	got.Status.Phase, got.Labels = v1alpha1.Fenced, map[string]string{"a": "b"}
	if err := e.Client.Update(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	if got = stored(t, e.Client, object); got.Status.Phase != v1alpha1.PoweringOff || got.Labels["a"] != "b" {
		t.Errorf("after a write of the rest: phase %q, labels %v", got.Status.Phase, got.Labels)
	}
}

// TestStatusComesBackAsItWas: it is the record that a cycle goes on from after a crash.
func TestStatusComesBackAsItWas(t *testing.T) {
	e := env.Get(t)
	object := remediation(e.Namespace(t), "m", v1alpha1.RebootSettings{})
	build.Create(t.Context(), t, e.Client, object)
	at := func(minute int) *metav1.Time { return new(metav1.NewTime(build.Epoch.Add(minutes(minute)).Local())) }
	want := v1alpha1.RebootRemediationStatus{
		Phase: v1alpha1.Restoring, Attempt: 2, MachineUID: "m-uid", KeysLost: 3,
		Host: &v1alpha1.HostIdentity{Name: "host", UID: "h-uid"},
		Node: &v1alpha1.NodeRecord{Name: "node", UID: "n-uid", BootID: "boot", Backup: &v1alpha1.NodeBackup{
			TakenAt: *at(1), Unschedulable: true,
			Labels:      map[string]string{"example.com/rack": "r1", "empty": ""},
			Annotations: map[string]string{"example.com/note": "two\nlines"},
			Taints: []corev1.Taint{
				{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}, {Key: "gpu", Effect: corev1.TaintEffectNoExecute},
			},
		}},
		PendingRebootSince: at(2), KeySince: at(3), SeenOnAt: at(4), PoweredOffAt: at(5), IsolatedAt: at(6), PowerOnReleasedAt: at(7),
		LastPoweredOn: at(8), NodeBackAt: at(9), NextAttemptAt: at(10), FinishedAt: at(11),
		Conditions: []metav1.Condition{{Type: "Succeeded", Status: "Unknown", Reason: "Restoring", Message: "m", LastTransitionTime: *at(12)}},
	}
	want.DeepCopyInto(&object.Status)
	if err := e.Client.Status().Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, stored(t, e.Client, object).Status); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStatusIsChecked too: a record that makes no sense is not stored.
func TestStatusIsChecked(t *testing.T) {
	e := env.Get(t)
	object := remediation(e.Namespace(t), "m", v1alpha1.RebootSettings{})
	build.Create(t.Context(), t, e.Client, object)
	for name, tt := range map[string]struct {
		status v1alpha1.RebootRemediationStatus
		want   string
	}{
		"nothing":   {v1alpha1.RebootRemediationStatus{}, ""},
		"a host":    {v1alpha1.RebootRemediationStatus{Host: &v1alpha1.HostIdentity{Name: "h", UID: "u"}}, ""},
		"no phase":  {v1alpha1.RebootRemediationStatus{Phase: "Sleeping"}, `status.phase: Unsupported value: "Sleeping": supported values: "Pending", "PoweringOff", "Fenced", "Isolating", "Holding", "PoweringOn", "WaitingForNode", "Restoring", "CoolingDown", "Succeeded", "Failed", "Aborted"`},
		"attempt":   {v1alpha1.RebootRemediationStatus{Attempt: -1}, "status.attempt: Invalid value: -1: attempt in body should be greater than or equal to 1"},
		"half host": {v1alpha1.RebootRemediationStatus{Host: &v1alpha1.HostIdentity{Name: "h"}}, "status.host.uid: Required value"},
		"no host":   {v1alpha1.RebootRemediationStatus{Host: &v1alpha1.HostIdentity{UID: "u"}}, "status.host.name: Required value"},
		"no Node":   {v1alpha1.RebootRemediationStatus{Node: &v1alpha1.NodeRecord{UID: "u"}}, "status.node.name: Required value"},
		"undated":   {v1alpha1.RebootRemediationStatus{Node: &v1alpha1.NodeRecord{Name: "n", Backup: &v1alpha1.NodeBackup{}}}, "status.node.backup.takenAt: Required value"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := object.DeepCopy()
			changed.Status = tt.status
			check(t, e.Client.Status().Update(t.Context(), changed), tt.want)
			object.ResourceVersion = changed.ResourceVersion
		})
	}
}
