package machinehealthcheck

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

// TestOneFailureStopsNoOther, whatever the plan, and also if only one may be in flight at a time.
func TestOneFailureStopsNoOther(t *testing.T) {
	t.Parallel()
	for name, plan := range plans {
		for limit, want := range map[string][]string{"": {"b", "c"}, "1": {"b"}} {
			t.Run(name+", limit "+limit, func(t *testing.T) {
				t.Parallel()
				w, mhc := budgetSite(t, name)
				w.restart(w.refusing(t, refuseA(errRefused, false)))
				if unannotate(t, w, mhc, mhcspec.MaxInFlightAnnotation); limit != "" {
					annotate(t, w, mhc, mhcspec.MaxInFlightAnnotation, limit)
				}
				if after := w.reconcile(t, mhc); after == 0 || after > 5*time.Second {
					t.Errorf("looks again after %s, want when a is tried again", after)
				}
				w.reconcile(t, mhc)
				var admitted []string
				for _, name := range want {
					admitted = append(admitted, name+": "+plan.step)
				}
				w.wantAdmitted(t, admitted...)
				c := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionRemediationAllowed)
				if !strings.HasSuffix(c.Message, "1 could not be admitted and is tried again: a") {
					t.Errorf("message is %q", c.Message)
				}
				for range 5 {
					w.clock.SetTime(w.clock.Now().Add(time.Hour))
					w.reconcile(t, mhc)
				}
				w.wantAdmitted(t, admitted...)
				w.wantFailures(t, 1)
			})
		}
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

// TestFairness: one whose record can never be created holds up nobody, though it has been sick the longest.
func TestFairness(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.longSick(t, "a")
	b, c := w.sick(t, "b"), w.sick(t, "c")
	mhc := w.check(t, maxInFlight("1"))
	w.restart(w.refusing(t, refuseA(errRefused, false)))
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "b: replace")
	w.clock.SetTime(w.clock.Now().Add(time.Hour))
	w.end(t, b)
	w.remove(t, b)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "c: replace")
	w.end(t, c)
	w.remove(t, c)
	w.restart(w.env.Client)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace") // it is admitted as soon as it can be
}

// TestFailureBackoff: who cannot be admitted is tried again after a pause that doubles.
func TestFailureBackoff(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	mhc := w.check(t)
	tries := 0
	w.restart(w.refusing(t, func(name string) (error, bool) {
		if strings.HasPrefix(name, "a-") {
			tries++
			return errRefused, false
		}
		return nil, false
	}))
	var pauses []time.Duration
	for range 8 {
		after := w.reconcile(t, mhc)
		pauses = append(pauses, after)
		w.clock.SetTime(w.clock.Now().Add(after - time.Second))
		w.reconcile(t, mhc)
		w.clock.SetTime(w.clock.Now().Add(time.Second))
	}
	s := time.Second
	if diff := cmp.Diff([]time.Duration{5 * s, 10 * s, 20 * s, 40 * s, 80 * s, 160 * s, 300 * s, 300 * s}, pauses); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
	if tries != 8 {
		t.Errorf("%d tries, want one after each pause", tries)
	}
	w.wantFailures(t, 1)
}

// TestLostAnswer: a record that may have been created takes its slot until it is known.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	for name, plan := range plans {
		for _, applied := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w, mhc := budgetSite(t, name)
				annotate(t, w, mhc, mhcspec.MaxInFlightAnnotation, "1")
				w.restart(w.refusing(t, refuseA(context.DeadlineExceeded, applied)))
				w.reconcile(t, mhc)
				if applied {
					w.wantAdmitted(t, "a: "+plan.step)
				} else {
					w.wantAdmitted(t)
				}
				w.restart(w.env.Client)
				w.reconcile(t, mhc)
				w.wantAdmitted(t, "a: "+plan.step)
			})
		}
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
			w.clock.SetTime(w.clock.Now().Add(5 * time.Second))
			w.reconcile(t, mhc)
			w.wantAdmitted(t, "a: reboot", "b: reboot")
			if r := w.recordOf(t, a); r.Spec.HostRef == nil || r.Spec.HostRef.Name != "host-a" {
				t.Errorf("its host is %v", r.Spec.HostRef)
			}
		})
	}
}

// TestStatusIsStoredAlsoIfNobodyCanBeAdmitted.
func TestStatusIsStoredAlsoIfNobodyCanBeAdmitted(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	mhc := w.check(t)
	w.restart(w.refusing(t, refuseA(errRefused, false)))
	if after := w.reconcile(t, mhc); after == 0 {
		t.Error("nobody tries again")
	}
	if stored, _ := fetch(t, w, mhc); stored.Status.ExpectedMachines == nil {
		t.Error("there is no status")
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
