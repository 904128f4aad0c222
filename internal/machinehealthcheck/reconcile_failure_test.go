package machinehealthcheck

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/remedy"
)

var errRefused = apierrors.NewForbidden(schema.GroupResource{Resource: "machines"}, "a", errors.New("a webhook says no"))

// refuseA returns a function for ward.refusing that is about Machine a alone.
func refuseA(err error, applied bool) func(string) (error, bool) {
	return func(name string) (error, bool) {
		if name != "a" {
			return nil, false
		}
		return err, applied
	}
}

// TestOneFailureStopsNoOther, whatever the remedy, and also if only one may run at a time.
func TestOneFailureStopsNoOther(t *testing.T) {
	t.Parallel()
	for name, b := range budgets {
		for limit, want := range map[string][]string{"": {"b", "c"}, "1": {"b"}} {
			t.Run(name+", limit "+limit, func(t *testing.T) {
				t.Parallel()
				w, mhc := budgetWard(t, name)
				w.restart(w.refusing(t, refuseA(errRefused, false)))
				if unannotate(t, w, mhc, MaxInFlightAnnotation); limit != "" {
					annotate(t, w, mhc, MaxInFlightAnnotation, limit)
				}
				if _, err := w.tryReconcile(t, mhc); err == nil || !strings.Contains(err.Error(), "a webhook says no") {
					t.Errorf("error is %v", err)
				}
				_, _ = w.tryReconcile(t, mhc)
				var treated []string
				for _, name := range want {
					treated = append(treated, name+": "+string(b.kind))
				}
				w.wantTreated(t, treated...)
				if told := w.told(); howMany(told, "Warning RemediationFailed") != 1 || howMany(told, "Normal RemediationStarted") != len(want) {
					t.Errorf("told %q, want one failure, once, and %d starts", told, len(want))
				}
			})
		}
	}
}

// TestLostAnswer: a remedy that may have been applied takes its place in the budget.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	for name, b := range budgets {
		for _, applied := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w, mhc := budgetWard(t, name)
				annotate(t, w, mhc, MaxInFlightAnnotation, "1")
				w.restart(w.refusing(t, refuseA(context.DeadlineExceeded, applied)))
				w.freeze(t, mhc, mhc)
				for range 3 {
					_, _ = w.tryReconcile(t, mhc)
				}
				if applied {
					w.wantTreated(t, "a: "+string(b.kind))
					return
				}
				w.wantTreated(t)
			})
		}
	}
}

// TestStatusIsToldAlsoIfRemediesFail.
func TestStatusIsToldAlsoIfRemediesFail(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.sick(t, "a")
	mhc := w.check(t)
	w.restart(w.refusing(t, refuseA(errRefused, false)))
	if _, err := w.tryReconcile(t, mhc); err == nil {
		t.Error("no error, so nobody tries again")
	}
	if stored, _ := fetch(t, w, mhc); stored.Status.ExpectedMachines == nil {
		t.Error("there is no status")
	}
}

// TestManyFailures: hundreds that fail are hundreds of attempts, and no more.
func TestManyFailures(t *testing.T) {
	w := newWard(t)
	before := testutil.ToFloat64(remediationsTotal.WithLabelValues(string(remedy.Owner), outcomeFailed))
	for letter := range strings.SplitSeq("abcdefghijklmnopqrstuvwxyz", "") {
		w.sick(t, letter)
	}
	mhc := w.check(t, maxInFlight("3"))
	w.restart(w.refusing(t, func(name string) (error, bool) {
		if name == "mhc" {
			return nil, false
		}
		return errRefused, false
	}))
	_, _ = w.tryReconcile(t, mhc)
	if got := testutil.ToFloat64(remediationsTotal.WithLabelValues(string(remedy.Owner), outcomeFailed)) - before; got != 26 {
		t.Errorf("%v attempts, want one for each of 26", got)
	}
	w.wantTreated(t)
}

// TestBusyMachine: one that others write to all the time is judged anew, and is not given up.
func TestBusyMachine(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	a := w.sick(t, "a")
	mhc := w.check(t)
	w.Remedies[remedy.Owner] = meddler{w.Remedies[remedy.Owner], func() { annotate(t, w, a, "busy", rand.Text()) }}
	if after := w.reconcile(t, mhc); after != lookAgain {
		t.Errorf("looks again after %s, want %s", after, lookAgain)
	}
	w.wantTreated(t)
	w.Remedies = remedy.NewCabinet(w.cache, w.env.Client, w.clock)
	w.clock.SetTime(w.clock.Now().Add(actedLag))
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: owner")
}

// TestMachineGoesMeanwhile: one that goes between the look and the remedy is no error, whatever the remedy.
func TestMachineGoesMeanwhile(t *testing.T) {
	t.Parallel()
	for name, b := range budgets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, mhc := budgetWard(t, name)
			a := w.machines["a"]
			var once sync.Once
			w.Remedies[b.kind] = meddler{w.Remedies[b.kind], func() {
				once.Do(func() {
					change(t, w, a, func(m *clusterv1.Machine) { m.Finalizers = nil })
					remove(t, w, a)
				})
			}}
			annotate(t, w, mhc, MaxInFlightAnnotation, "1")
			w.reconcile(t, mhc)
			if told := w.told(); howMany(told, "Warning") > 0 {
				t.Errorf("told %q", told)
			}
		})
	}
}

// meddler changes the Machine just before its remedy is applied.
type meddler struct {
	remedy.Remedy
	meddle func()
}

func (m meddler) Apply(ctx context.Context, patient remedy.Patient) (string, error) {
	m.meddle()
	return m.Remedy.Apply(ctx, patient)
}

// howMany counts the events that begin with a prefix.
func howMany(told []string, prefix string) int {
	n := 0
	for _, event := range told {
		if strings.HasPrefix(event, prefix) {
			n++
		}
	}
	return n
}
