package remediation

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// beginnings are the acts that begin something, each with the write that it takes.
var beginnings = map[string]struct {
	actCase
	write string
	// tries is how often the write is tried on a Machine that the cache does not show as it is.
	tries int
}{
	"mark":    {standingActs["mark"], "patch status of Machine a", 2},
	"request": {standingActs["request"], "create FixRemediation a", 1},
	"reboot":  {standingActs["reboot"], "create RebootRemediation a-", 1},
	"delete":  {actCase{nil, builtIn, "replace", named("a: deleting"), true}, "delete Machine a", 1},
	// Of a machine that somebody owns.
	"delete by the plan": {actCase{nil, byDeletion, "replace", named("a: deleting"), true}, "delete Machine a", 1},
}

// begin is a harness with a machine that is to be repaired by one of the beginnings.
func begin(t *testing.T, what string) (*harness, *clusterv1.Machine, *v1alpha1.MachineRemediation) {
	t.Helper()
	f := newHarness(t, beginnings[what].mhc...)
	f.template()
	opts := []build.MachineOption{build.Finalizer(keep), build.Annotation("some", "")}
	if what == "delete" {
		opts = append(opts, orphan())
	}
	a := f.sick("a", opts...)
	return f, a, f.admit(a, beginnings[what].plan)
}

var errRefused = apierrors.NewForbidden(schema.GroupResource{Resource: "machines"}, "a", errors.New("a webhook says no"))

// TestRefusedWriteGivesTheSlotBack, with a back-off that doubles, and says why.
func TestRefusedWriteGivesTheSlotBack(t *testing.T) {
	t.Parallel()
	for what, b := range beginnings {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f, _, record := begin(t, what)
			f.writes.fail = failing(b.write, errRefused, false)
			for i, least := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300} {
				after := f.reconcile(record)
				f.wantStanding()
				f.wantSlot(record, false)
				if least *= time.Second; after < least || after > least*3/2 {
					t.Errorf("try %d: looks again after %s, want %s and some jitter", i+1, after, least)
				}
				got, _ := stored(f, record)
				if p := ladder.Progress(&got.Status); p.Reason != v1alpha1.ReasonBackoff || !strings.Contains(p.Message, "a webhook says no") {
					t.Errorf("it says %s: %s", p.Reason, p.Message)
				}
				f.pass(after)
				f.grant(record)
			}
			if events := f.events(); howMany(events, "Warning RemediationDeferred") == 0 || howMany(events, "Normal RemediationStarted") > 0 {
				t.Errorf("announced %q", events)
			}
			f.writes.fail = nil
			f.reconcile(record)
			// What is named after its attempt has another name by now.
			if want, is := strings.TrimSuffix(b.standing(record), "-1"), f.standing(); len(is) != 1 || !strings.HasPrefix(is[0], want) {
				t.Errorf("asked for %q, want %s", is, want)
			}
		})
	}
}

// TestLostAnswer: what was written is found out by reading, and is not written a second time.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	for what, b := range beginnings {
		for _, applied := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, applied %t", what, applied), func(t *testing.T) {
				t.Parallel()
				f, _, record := begin(t, what)
				f.freeze(record)
				f.writes.fail = failing(b.write, context.DeadlineExceeded, applied)
				f.reconcile(record)
				f.writes.fail = nil
				f.cache.Thaw()
				if !applied {
					f.wantStanding()
					f.wantSlot(record, false)
					return
				}
				f.wantStanding(b.standing(record))
				f.wantRecord(record, "Acting Acting "+b.step+":-")
				f.reconcile(record)
				f.restart()
				f.reconcile(record)
				if n := count(f.writes.since(), b.write); n != 1 {
					t.Errorf("written %d times", n)
				}
				if events := f.events(); howMany(events, "Normal RemediationStarted") != 1 {
					t.Errorf("announced %q", events)
				}
			})
		}
	}
}

// TestCrashAfterAct: the next leader finds the act, and does not do it again. It tries to mark a Machine whose mark its cache does not show, and misses.
func TestCrashAfterAct(t *testing.T) {
	t.Parallel()
	for what, b := range beginnings {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f, _, record := begin(t, what)
			f.freeze(record)
			f.writes.fail = failing("update status", errCrash, false)
			if _, err := f.tryReconcile(record); !errors.Is(err, errCrash) {
				t.Fatalf("error is %v", err)
			}
			f.writes.fail = nil
			lagging := f.cache
			f.restart()
			f.Client, f.Cache = lagging, lagging
			f.reconcile(record)
			f.wantRecord(record, "Acting Acting "+b.step+":-")
			f.restart()
			f.reconcile(record)
			f.wantStanding(b.standing(record))
			if n := count(f.writes.since(), b.write); n != b.tries {
				t.Errorf("tried %d times", n)
			}
		})
	}
}

// TestOverlappingLeaders: two of them look at the same moment, and one act comes of it.
func TestOverlappingLeaders(t *testing.T) {
	t.Parallel()
	for what, b := range beginnings {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f, _, record := begin(t, what)
			other := *f
			other.writes = newWrites(t, f.env)
			other.restart()
			f.writes.meddle = onceBefore(b.write, func() { other.reconcile(record) })
			f.reconcile(record)
			f.reconcile(record)
			f.wantStanding(b.standing(record))
			f.wantRecord(record, "Acting Acting "+b.step+":-")
		})
	}
}

// TestMachineGoesMeanwhile: one that goes between the look and the act is no error, and nothing is left of it.
func TestMachineGoesMeanwhile(t *testing.T) {
	t.Parallel()
	for what, b := range beginnings {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f, a, record := begin(t, what)
			f.writes.meddle = onceBefore(b.write, func() { f.goes(a) })
			f.reconcile(record)
			f.reconcile(record)
			f.wantStanding()
			if got, _ := stored(f, record); !closed(got) && what != "delete by the plan" {
				t.Errorf("record is %q", f.summary(record))
			}
			if events := f.events(); howMany(events, "Warning") > 0 {
				t.Errorf("announced %q", events)
			}
		})
	}
}

// TestBusyMachine: one that others write to all the time is repaired all the same. A deletion depends on all that was judged, so it misses if
// somebody writes before each try.
func TestBusyMachine(t *testing.T) {
	t.Parallel()
	for what, b := range beginnings {
		if strings.HasPrefix(what, "delete") {
			continue
		}
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f, a, record := begin(t, what)
			f.writes.meddle = func(write string) {
				if !strings.Contains(write, "MachineRemediation") {
					annotate(f, a, "busy", rand.Text())
				}
			}
			f.reconcile(record)
			f.wantStanding(b.standing(record))
			f.wantRecord(record, "Acting Acting "+b.step+":-")
			if n := count(f.writes.since(), b.write); n != b.tries {
				t.Errorf("tried %d times", n)
			}
		})
	}
}

// TestConditionsInAnotherOrder: Cluster API sorts them when it writes. Then the mark misses, and is tried again.
func TestConditionsInAnotherOrder(t *testing.T) {
	t.Parallel()
	for misses, marked := range map[int]bool{1: true, maxMisses: true, maxMisses + 1: false} {
		t.Run(fmt.Sprint(misses), func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			a := f.sick("a")
			record := f.admit(a)
			left := misses
			f.writes.meddle = func(write string) {
				if left--; left >= 0 && strings.Contains(write, "Machine a") {
					changeStatus(f, a, func(m *clusterv1.Machine) { slices.Reverse(m.Status.Conditions) })
				}
			}
			f.reconcile(record)
			f.wantSlot(record, marked)
			if marked {
				f.wantStanding("a: mark")
				f.wantRecord(record, acting)
				return
			}
			f.wantStanding()
			got, _ := stored(f, record)
			if p := ladder.Progress(&got.Status); p.Reason != v1alpha1.ReasonBackoff || p.Message != "The machine has changed while it was judged" {
				t.Errorf("it says %s: %s", p.Reason, p.Message)
			}
		})
	}
}

// TestWithdrawalMisses: it is tried again, and never given up.
func TestWithdrawalMisses(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a)
	f.reconcile(record)
	f.judge(a, metav1.ConditionTrue)
	left := maxMisses + 1
	f.writes.meddle = func(write string) {
		if left > 0 && strings.Contains(write, "Machine a") {
			left--
			changeStatus(f, a, func(m *clusterv1.Machine) { slices.Reverse(m.Status.Conditions) })
		}
	}
	if _, err := f.tryReconcile(record); err == nil {
		t.Error("no error, so nobody tries again")
	}
	f.wantStanding("a: mark")
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Ended Ended RecoveredUnaided replace:NotBegun")
}

// TestOwnerAnswersMeanwhile: what it has begun, it finishes.
func TestOwnerAnswersMeanwhile(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a)
	f.reconcile(record)
	f.pass(10 * time.Minute)
	f.writes.meddle = onceBefore("patch status of Machine a", func() {
		f.answer(a, clusterv1.MachineSetMachineRemediationMachineDeletingReason, "deleting")
	})
	f.reconcile(record)
	f.wantStanding("a: mark")
}

// TestRecordChangesMeanwhile: a status is never written over what somebody else has written.
func TestRecordChangesMeanwhile(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	record := f.admit(f.sick("a"))
	f.writes.meddle = onceBefore("update status", func() { annotate(f, record, "note", "mine") })
	f.reconcile(record)
	f.wantRecord(record, acting)
	if n := count(f.writes.since(), "patch status of Machine"); n != 1 {
		t.Errorf("marked %d times", n)
	}
}

// TestBrake: the first act pauses the MachineHealthCheck; at most those that had looked before follow.
func TestBrake(t *testing.T) {
	t.Parallel()
	const machines, workers = 30, 8
	f := newHarness(t)
	var records []*v1alpha1.MachineRemediation
	for i := range machines {
		records = append(records, f.admit(f.sick(fmt.Sprintf("m%03d", i))))
	}
	var once sync.Once
	f.writes.meddle = func(what string) {
		if strings.Contains(what, "patch status of Machine") {
			once.Do(func() { annotate(f, f.mhc, clusterv1.PausedAnnotation, "") })
		}
	}
	work := make(chan *v1alpha1.MachineRemediation)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for record := range work {
				if _, err := f.once(t.Context(), record); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, record := range records {
		work <- record
	}
	close(work)
	group.Wait()
	if n := len(f.standing()); n < 1 || n > workers {
		t.Errorf("%d machines are marked", n)
	}
}

// howMany counts the events that begin with a prefix.
func howMany(events []string, prefix string) int {
	n := 0
	for _, event := range events {
		if strings.HasPrefix(event, prefix) {
			n++
		}
	}
	return n
}

// TestLookIsTooOld: a process that was stopped between its look and the act looks again, as another one may lead by now.
func TestLookIsTooOld(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	record := f.admit(f.sick("a"))
	var once sync.Once
	f.Live = hooked{f.Live, func(_ client.ObjectKey, obj client.Object) error {
		if _, midst := obj.(*clusterv1.Cluster); midst {
			once.Do(func() { f.pass(maxLookAge + time.Second) })
		}
		return nil
	}}
	if after, err := f.once(t.Context(), record); err != nil || after.RequeueAfter != controllerstate.Retry {
		t.Errorf("looks again after %s, error %v", after.RequeueAfter, err)
	}
	f.wantStanding()
	f.reconcile(record)
	f.wantStanding("a: mark")
}
