package machinehealthcheck

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestBudgetIsSpentOnce: one at a time, and the next when the first is over.
func TestBudgetIsSpentOnce(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.longSick(t, "a")
	w.sick(t, "b")
	mhc := w.check(t, maxInFlight("1"))
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace")
	w.judge(t, a, metav1.ConditionTrue)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace") // it is in flight until its record says otherwise
	w.end(t, a)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "b: replace")
}

// plans are the built-in ones.
var plans = map[string]struct {
	mhc  []build.MachineHealthCheckOption
	step string
}{
	"replace": {nil, admission.StepReplace},
	"request": {opts(byTemplate()), admission.StepRequest},
	"reboot":  {opts(byReboot()), admission.StepReboot},
}

// budgetSite has three sick Machines, two slots, and all that they need.
func budgetSite(t *testing.T, name string) (*harness, *clusterv1.MachineHealthCheck) {
	t.Helper()
	w := newHarness(t)
	for _, name := range []string{"a", "b", "c"} {
		w.sick(t, name)
	}
	w.template(t)
	return w, w.check(t, append(plans[name].mhc, maxInFlight("2"))...)
}

// TestBudgetWithLaggingCache: who was just admitted counts, although the cache does not show it, however long that takes.
func TestBudgetWithLaggingCache(t *testing.T) {
	t.Parallel()
	for name, plan := range plans {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, mhc := budgetSite(t, name)
			w.freeze(t, mhc, mhc)
			for range 5 {
				w.reconcile(t, mhc)
				w.clock.SetTime(w.clock.Now().Add(unseenFor))
			}
			w.wantAdmitted(t, "a: "+plan.step, "b: "+plan.step)
		})
	}
}

// TestNothingElseBeforeTheCacheShowsIt: without a bound, too, nobody is admitted on a view that lacks our own writes.
func TestNothingElseBeforeTheCacheShowsIt(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	b := w.healthy(t, "b")
	mhc := w.check(t)
	w.reconcile(t, mhc)
	w.freeze(t, mhc, mhc, &clusterv1.MachineList{})
	a := w.machines["a"]
	w.end(t, a)
	w.endIsUnseen(t, a)
	w.judge(t, b, metav1.ConditionFalse)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "b: replace")
	c := w.sick(t, "c")
	if after := w.reconcile(t, mhc); after == 0 || after > time.Second {
		t.Errorf("looks again after %s, want soon", after)
	}
	w.wantAdmitted(t, "b: replace")
	w.cache.Thaw()
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace", "b: replace", c.Name+": replace")
}

// endIsUnseen makes sure that the cache does not show that the record of a Machine has ended.
func (w *harness) endIsUnseen(t *testing.T, machine *clusterv1.Machine) {
	t.Helper()
	cached, err := record.OfCluster(t.Context(), w.cache, mhcspec.ClusterOf(machine))
	if err != nil || len(cached) != 1 || cached[0].Status.CompletionTime != nil {
		t.Fatalf("the cache shows %+v, error %v", cached, err)
	}
}

// TestBudgetAfterRestart: what another process did just before it went counts, although neither
// memory nor the cache shows it.
func TestBudgetAfterRestart(t *testing.T) {
	t.Parallel()
	for name, plan := range plans {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, mhc := budgetSite(t, name)
			w.freeze(t, mhc, mhc)
			w.reconcile(t, mhc)
			w.restartWithCache()
			w.reconcile(t, mhc)
			w.reconcile(t, mhc)
			w.wantAdmitted(t, "a: "+plan.step, "b: "+plan.step)
		})
	}
}

// restartWithCache makes a new Reconciler whose cache lags behind as before.
func (w *harness) restartWithCache() {
	lagging := w.cache
	w.restart(w.env.Client)
	w.cache, w.Client, w.Cache = lagging, lagging, lagging
}

// TestBudgetAfterRestartInAnotherOrder: the cache shows neither that b was admitted, nor that it is
// not a's turn.
func TestBudgetAfterRestartInAnotherOrder(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.longSick(t, "a")
	b := w.sick(t, "b")
	mhc := w.check(t, maxInFlight("1"))
	w.freeze(t, mhc, mhc)
	w.admitByHand(t, mhc, b)
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "b: replace")
}

// admitByHand creates the record of a Machine as another process would.
func (w *harness) admitByHand(t *testing.T, mhc *clusterv1.MachineHealthCheck, machine *clusterv1.Machine) {
	t.Helper()
	f := admission.Facts{MachineHealthCheck: mhc, Cluster: w.cluster}
	d := admission.Decision{Steps: admission.BuiltInPlan(mhc, mhcspec.Config{})}
	stored, _ := fetch(t, w, machine)
	spec := admission.Spec(f, d, admission.Admission{Machine: stored, Grant: 1}, w.clock.Now())
	build.Create(t.Context(), t, w.env.Client, record.New(w.cluster, 1, spec))
}

// TestBudgetAfterFailedLook: nobody is admitted if the slots cannot be counted past the cache.
func TestBudgetAfterFailedLook(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.longSick(t, "a")
	b := w.sick(t, "b")
	mhc := w.check(t, maxInFlight("1"))
	w.freeze(t, mhc, mhc)
	w.admitByHand(t, mhc, b)
	w.Live = brokenReader{w.env.Client}
	if _, err := w.tryReconcile(t, mhc); err == nil {
		t.Fatal("no error, though nothing can be read live")
	}
	w.Live = w.env.Client
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "b: replace")
}

// TestBudgetOfOneMadeAnew: a MachineHealthCheck that was deleted and made again counts what the one before has admitted, also a
// machine that somebody has paused since.
func TestBudgetOfOneMadeAnew(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.longSick(t, "a")
	w.sick(t, "b")
	mhc := w.check(t, maxInFlight("1"))
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace")
	if err := w.env.Client.Delete(t.Context(), mhc); err != nil {
		t.Fatal(err)
	}
	paused, _ := fetch(t, w, a)
	metav1.SetMetaDataAnnotation(&paused.ObjectMeta, clusterv1.PausedAnnotation, "")
	if err := w.env.Client.Update(t.Context(), paused); err != nil {
		t.Fatal(err)
	}
	w.reconcile(t, w.check(t, maxInFlight("1")))
	w.wantAdmitted(t, "a: replace")
}

// TestGrant: a record that has given its slot back gets another one in its turn.
func TestGrant(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.longSick(t, "a")
	b := w.sick(t, "b")
	mhc := w.check(t, maxInFlight("1"))
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace")
	w.stepBack(t, a, time.Minute)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "b: replace")
	w.stepBack(t, b, time.Hour)
	if after := w.reconcile(t, mhc); after != time.Minute {
		t.Errorf("looks again after %s, want when a wants a slot again", after)
	}
	w.wantAdmitted(t)
	w.clock.SetTime(w.clock.Now().Add(time.Minute))
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace")
	if got := w.recordOf(t, a).Spec.Grant; got != 2 {
		t.Errorf("grant is %d, want 2", got)
	}
}

// TestGrantOfAnother: a grant that another process has raised meanwhile is not raised once more.
func TestGrantOfAnother(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.sick(t, "a")
	mhc := w.check(t)
	w.reconcile(t, mhc)
	w.stepBack(t, a, 0)
	w.freeze(t, mhc, mhc)
	change(t, w, w.recordOf(t, a), setGrant(2))
	w.stepBack(t, a, time.Hour)
	w.restartWithCache()
	w.reconcile(t, mhc)
	if got := w.recordOf(t, a).Spec.Grant; got != 2 {
		t.Errorf("grant is %d, want that of the other process", got)
	}
}

// TestPercentOfWhatIsThere: a percentage goes by the number of machines.
func TestPercentOfWhatIsThere(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		w.sick(t, name)
	}
	w.reconcile(t, w.check(t, maxInFlight("50%")))
	w.wantAdmitted(t, "a: replace", "b: replace")
}
