package machinehealthcheck

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// budgetSite has three sick Machines, and two slots.
func budgetSite(t *testing.T) (*harness, *clusterv1.MachineHealthCheck) {
	t.Helper()
	w := newHarness(t)
	for _, name := range []string{"a", "b", "c"} {
		w.sick(t, name)
	}
	return w, w.check(t, maxInFlight("2"))
}

// TestBudgetWithLaggingCache: a machine that was just admitted counts until the cache shows it, also after a change of leader.
func TestBudgetWithLaggingCache(t *testing.T) {
	t.Parallel()
	w, mhc := budgetSite(t)
	w.freeze(t, mhc, mhc)
	for range 5 {
		w.reconcile(t, mhc)
		w.pass(unseenFor)
	}
	w.wantAdmitted(t, "a: replace", "b: replace")
	w.restartWithCache()
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: replace", "b: replace")
}

// restartWithCache makes a new Reconciler whose cache lags behind as before.
func (w *harness) restartWithCache() {
	lagging := w.cache
	w.restart(w.env.Client)
	w.cache, w.Client, w.Cache = lagging, lagging, lagging
}

// admitByHand creates the record of a Machine as another process would.
func (w *harness) admitByHand(t *testing.T, mhc *clusterv1.MachineHealthCheck, machine *clusterv1.Machine) {
	t.Helper()
	f := admission.Facts{MachineHealthCheck: mhc, Cluster: w.cluster}
	d := admission.Decision{Steps: admission.BuiltInPlan(mhc, mhcspec.Config{}, v1alpha1.RebootSettings{})}
	latest, _ := stored(t, w, machine)
	spec := admission.Spec(f, d, admission.Admission{Machine: latest, Grant: 1}, w.clock.Now())
	build.Create(t.Context(), t, w.env.Client, recordstore.New(w.cluster, 1, spec))
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
	paused, _ := stored(t, w, a)
	metav1.SetMetaDataAnnotation(&paused.ObjectMeta, clusterv1.PausedAnnotation, "")
	if err := w.env.Client.Update(t.Context(), paused); err != nil {
		t.Fatal(err)
	}
	w.reconcile(t, w.check(t, maxInFlight("1")))
	w.wantAdmitted(t, "a: replace")
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
