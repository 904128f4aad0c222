package machinehealthcheck

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

var errRefused = apierrors.NewForbidden(schema.GroupResource{Resource: "machineremediations"}, "a", errors.New("a webhook says no"))

// refuseA returns a function for harness.refusing that is about the record of Machine a alone.
func refuseA(err error, applied bool) func(string) (error, bool) {
	return func(name string) (error, bool) {
		if !strings.HasPrefix(name, "a-") {
			return nil, false
		}
		return err, applied
	}
}

// TestAdoptionRefused: a MachineHealthCheck that nobody may change is retried, and its machines are repaired meanwhile.
func TestAdoptionRefused(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	mhc := w.check(t, build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) { mhc.Labels = nil }))
	w.restart(w.env.Intercept(t, interceptor.Funcs{
		Apply: func(context.Context, client.WithWatch, runtime.ApplyConfiguration, ...client.ApplyOption) error {
			return errRefused
		},
	}))
	if _, err := w.tryReconcile(t, mhc); !errors.Is(err, errRefused) {
		t.Errorf("got error %v", err)
	}
	w.wantAdmitted(t, "a: replace")
	if c := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionRemediationAllowed); c.Status != metav1.ConditionTrue {
		t.Errorf("condition is %+v", c)
	}
}

// wantFailures asserts the number of events about machines that could not be admitted.
func (w *harness) wantFailures(t *testing.T, want int) {
	t.Helper()
	n, events := 0, w.events()
	for _, event := range events {
		if strings.HasPrefix(event, "Warning "+EventAdmissionFailed) && strings.Contains(event, "a webhook says no") {
			n++
		}
	}
	if n != want {
		t.Errorf("events are %q, want %d failures", events, want)
	}
}

// TestLostAnswer: a record that may have been created takes its slot until it is known.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	for _, applied := range []bool{true, false} {
		t.Run(fmt.Sprint("applied: ", applied), func(t *testing.T) {
			t.Parallel()
			w, mhc := budgetSite(t)
			annotate(t, w, mhc, mhcspec.MaxInFlightAnnotation, "1")
			w.restart(w.refusing(t, refuseA(context.DeadlineExceeded, applied)))
			w.reconcile(t, mhc)
			if applied {
				w.wantAdmitted(t, "a: replace")
			} else {
				w.wantAdmitted(t)
			}
			w.restart(w.env.Client)
			w.reconcile(t, mhc)
			w.wantAdmitted(t, "a: replace")
		})
	}
}

// TestHostCannotBeRead: a machine whose host cannot be read is tried again after pauses, and holds up no other. Without a plan
// nothing is remembered about hosts, so nobody asks for them.
func TestHostCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, planned := range map[string]bool{"with a plan": true, "without one": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			a := w.longSick(t, "a")
			w.sick(t, "b")
			var opts []build.MachineHealthCheckOption
			want, failures := []string{"a: replace", "b: replace"}, 0
			if planned {
				w.plan(t)
				opts, want, failures = append(opts, byPlan()), []string{"b: reboot"}, 1
			}
			mhc := w.check(t, opts...)
			readable := false
			w.Host = func(_ context.Context, machine *clusterv1.Machine) (*v1alpha1.RemediationReference, error) {
				if machine.Name == "a" && !readable {
					return nil, errors.New("getting BareMetalHost host-a: a webhook says no")
				}
				return &v1alpha1.RemediationReference{Name: "host-" + machine.Name, UID: "host"}, nil
			}
			after := w.reconcile(t, mhc)
			w.reconcile(t, mhc)
			w.wantAdmitted(t, want...)
			w.wantFailures(t, failures)
			if !planned {
				return
			}
			c := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionRemediationAllowed)
			if !strings.HasSuffix(c.Message, "1 could not be admitted and is tried again: a") || after == 0 || after > 5*time.Second {
				t.Errorf("looks again after %s, message is %q", after, c.Message)
			}
			readable = true
			w.pass(5 * time.Second)
			w.reconcile(t, mhc)
			w.wantAdmitted(t, "a: reboot", "b: reboot")
			if r := w.recordOf(t, a); r.Spec.HostRef == nil || r.Spec.HostRef.Name != "host-a" {
				t.Errorf("its host is %v", r.Spec.HostRef)
			}
		})
	}
}

// TestManyFailures: many that fail are one try each, and no more.
func TestManyFailures(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	for letter := range strings.SplitSeq("abcdefghijklmnopqrstuvwxyz", "") {
		w.sick(t, letter)
	}
	mhc := w.check(t, maxInFlight("3"))
	tries := 0
	w.restart(w.refusing(t, func(name string) (error, bool) {
		if name == "mhc" {
			return nil, false
		}
		tries++
		return errRefused, false
	}))
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	if tries != 26 {
		t.Errorf("%d tries, want one for each of 26", tries)
	}
	w.wantAdmitted(t)
}
