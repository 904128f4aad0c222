package remediation

import (
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
			if events := f.events(); count(events, "Warning") > 0 {
				t.Errorf("announced %q", events)
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

// TestPauseStopsAllButThoseWhoHaveLooked: the first act pauses the MachineHealthCheck; at most those that had looked before follow.
func TestPauseStopsAllButThoseWhoHaveLooked(t *testing.T) {
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

// TestNobodyActsOnABusyCluster: while somebody else waits for a workload cluster nothing is decided about its records, which are looked at again soon.
func TestNobodyActsOnABusyCluster(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	record := f.admit(f.sick("a"))
	f.nodes.Busy(f.clusterKey(), true)
	if after := f.reconcile(record); after <= 0 || after > time.Second {
		t.Errorf("looks again after %s", after)
	}
	f.wantStanding()
	f.nodes.Busy(f.clusterKey(), false)
	f.reconcile(record)
	f.wantStanding("a: mark")
}

// TestOwnerThatCannotBeRead: the conversion webhook of the owner's kind is down. The deadline ends the wait for a
// successor all the same, and proves nothing.
func TestOwnerThatCannotBeRead(t *testing.T) {
	t.Parallel()
	f, record := replacing(t)
	f.Live = f.refuses("MachineSet", apierrors.NewInternalError(errors.New("conversion webhook failed: connection refused")))
	for range 3 {
		f.pass(12 * time.Hour)
		if _, err := f.tryReconcile(record); err != nil {
			t.Log(err)
		}
	}
	if got := f.summary(record); got != "Ended Ended MachineDeleted replace:Unneeded" {
		r, _ := stored(f, record)
		t.Errorf("36 hours later, record is %q, and has a slot: %t; it says: %s", got, ladder.HasSlot(r), ladder.Progress(&r.Status).Message)
	}
}

// TestStoredCauseIsTheSameWhateverTheLocalPort: each try has another connection, and what is stored about it must not be a write each time.
func TestStoredCauseIsTheSameWhateverTheLocalPort(t *testing.T) {
	first := errors.New("read tcp 192.0.2.1:40001->192.0.2.2:6443: connection reset by peer")
	second := errors.New("read tcp 192.0.2.1:40002->192.0.2.2:6443: connection reset by peer")
	if a, b := couldNot(first), couldNot(second); a != b {
		t.Errorf("a failed attempt says %q and then %q", a, b)
	}
	unreadable := func(err error) string {
		record := &v1alpha1.MachineRemediation{}
		record.Status.Attempts = []v1alpha1.RemediationAttempt{{Number: 1, ObjectRef: &v1alpha1.RemediationObjectReference{Kind: "Fix", Name: "a"}}}
		v := &view{machine: &clusterv1.Machine{}}
		v.facts = ladder.Facts{Record: record}
		(&Reader{}).assumeUnreadable(v, 1, err)
		return v.facts.Request.Unreadable
	}
	if a, b := unreadable(first), unreadable(second); a != b {
		t.Errorf("a request that cannot be read says %q and then %q", a, b)
	}
}
