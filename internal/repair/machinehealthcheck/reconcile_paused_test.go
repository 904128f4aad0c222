package machinehealthcheck

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// TestPaused: all is left as it is but for the Paused condition, and goes on afterwards.
func TestPaused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		pause, resume func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck)
		want          string
	}{
		"by annotation": {
			func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck) {
				t.Helper()
				annotate(t, w, mhc, clusterv1.PausedAnnotation, "")
			},
			func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck) {
				t.Helper()
				unannotate(t, w, mhc, clusterv1.PausedAnnotation)
			},
			"MachineHealthCheck has the cluster.x-k8s.io/paused annotation",
		},
		"by Sickbay, for an upgrade": {
			func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck) {
				t.Helper()
				annotate(t, w, mhc, pause.MarkerAnnotation, "")
				annotate(t, w, mhc, clusterv1.PausedAnnotation, mhcspec.UpgradeValue)
			},
			func(t *testing.T, w *harness, mhc *clusterv1.MachineHealthCheck) {
				t.Helper()
				unannotate(t, w, mhc, clusterv1.PausedAnnotation)
				unannotate(t, w, mhc, pause.MarkerAnnotation)
			},
			"Paused by Sickbay during an upgrade",
		},
		"by the Cluster": {
			func(t *testing.T, w *harness, _ *clusterv1.MachineHealthCheck) {
				t.Helper()
				setPaused(t, w, true)
			},
			func(t *testing.T, w *harness, _ *clusterv1.MachineHealthCheck) {
				t.Helper()
				setPaused(t, w, false)
			},
			"Cluster spec.paused is set to true",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			w.healthy(t, "a")
			mhc := w.check(t)
			w.reconcile(t, mhc)
			before, _ := fetch(t, w, mhc)
			tt.pause(t, w, mhc)
			b := w.sick(t, "b")
			w.reconcile(t, mhc)

			w.wantAdmitted(t)
			after, _ := fetch(t, w, mhc)
			if diff := cmp.Diff(before.Status, after.Status, cmpopts.IgnoreSliceElements(func(c metav1.Condition) bool { return c.Type == admission.ConditionPaused })); diff != "" {
				t.Errorf("status (-before +after):\n%s", diff)
			}
			expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
				Type: admission.ConditionPaused, Status: metav1.ConditionTrue, Reason: admission.ReasonPaused, ObservedGeneration: 1, Message: tt.want,
			})
			tt.resume(t, w, mhc)
			w.reconcile(t, mhc)
			w.wantAdmitted(t, b.Name+": replace")
			expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
				Type: admission.ConditionPaused, Status: metav1.ConditionFalse, Reason: admission.ReasonNotPaused, ObservedGeneration: 1,
			})
		})
	}
}

// TestPausedFromTheStart: neither the label nor the owner reference is touched.
func TestPausedFromTheStart(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	mhc := w.check(t, build.Annotation(clusterv1.PausedAnnotation, "true"), build.Label(clusterv1.ClusterNameLabel, "wrong"))
	w.reconcile(t, mhc)
	stored, _ := fetch(t, w, mhc)
	if stored.Labels[clusterv1.ClusterNameLabel] != "wrong" || len(stored.OwnerReferences) > 0 || stored.Status.ExpectedMachines != nil {
		t.Errorf("it was touched: labels %v, owners %v, status %+v", stored.Labels, stored.OwnerReferences, stored.Status)
	}
	expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionPaused)
}

// TestHandedOver: Sickbay acts, and the Paused condition stays as Cluster API's controller wrote it.
func TestHandedOver(t *testing.T) {
	t.Parallel()
	for _, adopt := range []mhcspec.Adoption{mhcspec.AdoptAll, mhcspec.AdoptHandedOver} {
		t.Run(string(adopt), func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			w.Policy.Adopt = adopt
			w.sick(t, "a")
			theirs := build.Condition(admission.ConditionPaused, metav1.ConditionTrue, admission.ReasonPaused, build.Epoch).WithMessage("theirs")
			mhc := w.check(t, handedOver(), theirs)
			w.reconcile(t, mhc)
			w.wantAdmitted(t, "a: replace")
			expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition(theirs))
		})
	}
}

// TestHandedOverPausedByCluster: nobody acts, and nobody but Cluster API's controller says so.
func TestHandedOverPausedByCluster(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	setPaused(t, w, true)
	mhc := w.check(t, handedOver())
	w.reconcile(t, mhc)
	w.wantAdmitted(t)
	expect.NoCondition(t.Context(), t, w.env.Client, mhc, admission.ConditionPaused)
}

// TestHandedOverPausedForUpgrade: it stays handed over meanwhile, so the Paused condition stays that of Cluster API's
// controller, which is held off all the time.
func TestHandedOverPausedForUpgrade(t *testing.T) {
	t.Parallel()
	for _, adopt := range []mhcspec.Adoption{mhcspec.AdoptAll, mhcspec.AdoptHandedOver} {
		t.Run(string(adopt), func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			w.Policy.Adopt = adopt
			w.sick(t, "a")
			theirs := build.Condition(admission.ConditionPaused, metav1.ConditionTrue, admission.ReasonPaused, build.Epoch).WithMessage("theirs")
			mhc := w.check(t, theirs, build.Annotation(pause.MarkerAnnotation, ""),
				build.Annotation(clusterv1.PausedAnnotation, mhcspec.HandedOverUpgradeValue))
			w.reconcile(t, mhc)
			w.wantAdmitted(t)
			expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition(theirs))

			annotate(t, w, mhc, clusterv1.PausedAnnotation, mhcspec.HandedOverValue)
			w.reconcile(t, mhc)
			w.wantAdmitted(t, "a: replace")
			expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition(theirs))
		})
	}
}

// TestNotOurs: what the policy does not give to Sickbay stays as it is.
func TestNotOurs(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		policy mhcspec.Policy
		opts   []build.MachineHealthCheckOption
		ours   bool
	}{
		"all":                               {mhcspec.Policy{Adopt: mhcspec.AdoptAll}, nil, true},
		"handed-over, but it is not":        {mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver}, nil, false},
		"handed-over, but paused only":      {mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver}, opts(build.Annotation(clusterv1.PausedAnnotation, "")), false},
		"watch-filter, no label":            {mhcspec.Policy{WatchFilter: "us"}, nil, false},
		"watch-filter, another's label":     {mhcspec.Policy{WatchFilter: "us"}, opts(build.Label(clusterv1.WatchLabel, "them")), false},
		"watch-filter, our label":           {mhcspec.Policy{WatchFilter: "us"}, opts(build.Label(clusterv1.WatchLabel, "us")), true},
		"no watch-filter, somebody's label": {mhcspec.Policy{}, opts(build.Label(clusterv1.WatchLabel, "them")), true},
		"handed-over, but another's label":  {mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver, WatchFilter: "us"}, opts(handedOver()), false},
		"handed-over, and with our label":   {mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver, WatchFilter: "us"}, opts(handedOver(), build.Label(clusterv1.WatchLabel, "us")), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			w.Policy = tt.policy
			w.sick(t, "a")
			mhc := w.check(t, tt.opts...)
			w.reconcile(t, mhc)
			if tt.ours {
				w.wantAdmitted(t, "a: replace")
				return
			}
			w.wantAdmitted(t)
			if stored, _ := fetch(t, w, mhc); stored.ResourceVersion != mhc.ResourceVersion {
				t.Error("it was written to")
			}
		})
	}
}

func setPaused(t *testing.T, w *harness, paused bool) {
	t.Helper()
	change(t, w, w.cluster, func(c *clusterv1.Cluster) { c.Spec.Paused = &paused })
}
