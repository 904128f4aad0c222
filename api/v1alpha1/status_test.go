package v1alpha1_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// phases are all phases, and whether each is an end.
var phases = map[v1alpha1.Phase]bool{
	v1alpha1.Pending: false, v1alpha1.PoweringOff: false, v1alpha1.Fenced: false, v1alpha1.Isolating: false, v1alpha1.Holding: false,
	v1alpha1.PoweringOn: false, v1alpha1.WaitingForNode: false, v1alpha1.Restoring: false,
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

// TestStatusIsASubresource: writes to the spec do not change the status, and writes to the status do not change the spec.
func TestStatusIsASubresource(t *testing.T) {
	e := env.Get(t)
	object := remediation(e.Namespace(t), "m", v1alpha1.RebootSettings{})
	object.Status.Phase = v1alpha1.Succeeded
	if err := e.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, e.Client, object).Status.Phase; got != "" {
		t.Errorf("after creation the phase is %s: the creator of an object writes its status", got)
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

// TestStatusComesBackAsItWas: every field survives storing, because a cycle continues from its status after a crash.
func TestStatusComesBackAsItWas(t *testing.T) {
	e := env.Get(t)
	object := remediation(e.Namespace(t), "m", v1alpha1.RebootSettings{})
	build.Create(t.Context(), t, e.Client, object)
	var want v1alpha1.RebootRemediationStatus
	fill(t, reflect.ValueOf(&want).Elem())
	want.DeepCopyInto(&object.Status)
	if err := e.Client.Status().Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, stored(t, e.Client, object).Status); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// fill sets every field, so that the test covers new fields, too.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch special := v.Addr().Interface().(type) {
	case *v1alpha1.Phase:
		*special = v1alpha1.Restoring
		return
	case *v1alpha1.Outcome:
		*special = v1alpha1.ReasonNodeTimedOut
		return
	case *v1alpha1.Isolation:
		*special = v1alpha1.OutOfServiceTaint
		return
	case *v1alpha1.Step:
		*special = v1alpha1.StepDelete
		return
	case *v1alpha1.RequesterKind:
		*special = v1alpha1.RequestedByRecord
		return
	case *metav1.Time:
		*special = metav1.NewTime(build.Epoch.Local())
		return
	case *metav1.Condition:
		*special = metav1.Condition{Type: "T", Status: "Unknown", Reason: "R", Message: "m", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(build.Epoch.Local())}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(t, field)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"example.com/rack": "two\nlines", "empty": ""}).Convert(v.Type()))
	case reflect.String:
		v.SetString("x")
	case reflect.Int32, reflect.Int64:
		v.SetInt(2)
	case reflect.Bool:
		v.SetBool(true)
	default:
		t.Fatalf("there is no value for a %s", v.Type())
	}
}

// TestStatusIsChecked: a status that makes no sense is refused.
func TestStatusIsChecked(t *testing.T) {
	e := env.Get(t)
	object := remediation(e.Namespace(t), "m", v1alpha1.RebootSettings{})
	build.Create(t.Context(), t, e.Client, object)
	for name, tt := range map[string]struct {
		status v1alpha1.RebootRemediationStatus
		want   string
	}{
		"nothing":  {v1alpha1.RebootRemediationStatus{}, ""},
		"a host":   {v1alpha1.RebootRemediationStatus{Host: &v1alpha1.HostIdentity{Name: "h", UID: "u"}}, ""},
		"no phase": {v1alpha1.RebootRemediationStatus{Phase: "Sleeping"}, `status.phase: Unsupported value: "Sleeping": supported values: "Pending", "PoweringOff", "Fenced", "Isolating", "Holding", "PoweringOn", "WaitingForNode", "Restoring", "Succeeded", "Failed", "Aborted"`},
	} {
		t.Run(name, func(t *testing.T) {
			changed := object.DeepCopy()
			changed.Status = tt.status
			check(t, e.Client.Status().Update(t.Context(), changed), tt.want)
			object.ResourceVersion = changed.ResourceVersion
		})
	}
}
