package machinehealthcheck

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// template stores the template that byTemplate refers to.
func (w *ward) template(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	template := build.RemediationTemplate(templateKind, w.ns, "fix", map[string]any{"how": "gently"})
	build.Create(t.Context(), t, w.env.Client, template)
	return template
}

// TestRequest: created once, deleted when the Machine is healthy again, and created anew for the next time.
func TestRequest(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.template(t)
	a := w.sick(t, "a")
	w.sick(t, "b")
	w.healthy(t, "c")
	mhc := w.check(t, byTemplate())
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: request", "b: request")
	first := w.requests(t)[0].GetUID()
	w.reconcile(t, mhc)
	if again := w.requests(t)[0].GetUID(); again != first {
		t.Error("it was made a second time")
	}
	w.judge(t, a, metav1.ConditionTrue)
	w.reconcile(t, mhc)
	w.wantTreated(t, "b: request")
	w.judge(t, a, metav1.ConditionFalse)
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: request", "b: request")
	expect.NoCondition(t.Context(), t, w.env.Client, a, clusterv1.MachineOwnerRemediatedCondition)
}

// TestRequestTemplateAppears: the verdict stands without it, and the request is made once it is there.
func TestRequestTemplateAppears(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	a := w.sick(t, "a")
	mhc := w.check(t, byTemplate())
	after := w.reconcile(t, mhc)
	w.wantTreated(t)
	if after != templateRetry {
		t.Errorf("looks again after %s, want %s", after, templateRetry)
	}
	message := "remediation template FixRemediationTemplate fix does not exist"
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: ConditionTemplateAvailable, Status: metav1.ConditionFalse, Reason: ReasonTemplateNotFound, ObservedGeneration: 1, Message: message,
	})
	w.reconcile(t, mhc)
	if diff := cmp.Diff([]string{"Warning RemediationTemplateNotFound " + message}, w.told()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.template(t)
	w.reconcile(t, mhc)
	w.wantTreated(t, a.Name+": request")
	expect.ConditionIs(t.Context(), t, w.env.Client, mhc, metav1.Condition{
		Type: ConditionTemplateAvailable, Status: metav1.ConditionTrue, Reason: ReasonTemplateAvailable, ObservedGeneration: 1,
	})
}

// TestRequestKindNotInstalled: a provider that is not there is no reason to stop counting.
func TestRequestKindNotInstalled(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		kind schema.GroupVersionKind
		want string
	}{
		"group":        {schema.GroupVersionKind{Group: "nowhere.example.dev", Version: "v1", Kind: "NoTemplate"}, "remediation request kind No of nowhere.example.dev/v1 is not installed"},
		"request kind": {env.RemediationGroupVersion.WithKind("OtherTemplate"), "remediation request kind Other of remediation.example.dev/v1 is not installed"},
		"version":      {schema.GroupVersionKind{Group: env.RemediationGroupVersion.Group, Version: "v9", Kind: env.RemediationTemplateKind}, "remediation request kind FixRemediation of remediation.example.dev/v9 is not installed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t)
			w.sick(t, "a")
			mhc := w.check(t, build.TemplateRef(tt.kind, "fix"))
			w.reconcile(t, mhc)
			w.wantTreated(t)
			if got := expect.Condition(t.Context(), t, w.env.Client, mhc, ConditionTemplateAvailable); got.Message != tt.want {
				t.Errorf("message is %q, want %q", got.Message, tt.want)
			}
			if stored, _ := fetch(t, w, mhc); *stored.Status.ExpectedMachines != 1 {
				t.Errorf("status is %+v", stored.Status)
			}
		})
	}
}

// TestRequestOfAnotherHasItsName: a foreign request is not touched, and the others get theirs.
func TestRequestOfAnotherHasItsName(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.template(t)
	foreign := &unstructured.Unstructured{}
	foreign.SetGroupVersionKind(env.RemediationGroupVersion.WithKind(env.RemediationKind))
	foreign.SetNamespace(w.ns)
	foreign.SetName("a")
	build.Create(t.Context(), t, w.env.Client, foreign)
	a := w.sick(t, "a")
	w.sick(t, "b")
	mhc := w.check(t, byTemplate(), maxInFlight("1"))
	if _, err := w.tryReconcile(t, mhc); err == nil {
		t.Error("no error, though a got no request")
	}
	w.wantTreated(t, "a: request", "b: request") // that of a is the foreign one
	w.judge(t, a, metav1.ConditionTrue)
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: request", "b: request")
}

// TestRequestStaysWhileUndecided: a Machine that cannot be judged is not well yet.
func TestRequestStaysWhileUndecided(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.template(t)
	a := w.sick(t, "a")
	mhc := w.check(t, byTemplate())
	w.reconcile(t, mhc)
	w.judge(t, a, metav1.ConditionUnknown)
	w.reconcile(t, mhc)
	w.wantTreated(t, "a: request")
}

// TestRequestIsWithdrawnAlsoIfRestricted: too many sick Machines are no reason to treat a healthy one.
func TestRequestIsWithdrawnAlsoIfRestricted(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.template(t)
	a := w.sick(t, "a")
	mhc := w.check(t, byTemplate(), build.TriggerIfInRange("[1-1]"))
	w.reconcile(t, mhc)
	w.judge(t, a, metav1.ConditionTrue)
	w.sick(t, "b")
	w.sick(t, "c")
	w.reconcile(t, mhc)
	w.wantTreated(t)
}

// TestWithdrawIsHeldUp by whatever holds up all else.
func TestWithdrawIsHeldUp(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck){
		"dry-run": func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck) {
			t.Helper()
			annotate(t, w, mhc, DryRunAnnotation, "true")
		},
		"dry-run, garbage": func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck) {
			t.Helper()
			annotate(t, w, mhc, DryRunAnnotation, "yes!")
		},
		"paused": func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck) {
			t.Helper()
			annotate(t, w, mhc, clusterv1.PausedAnnotation, "")
		},
		"paused live": func(t *testing.T, w *ward, mhc *clusterv1.MachineHealthCheck) {
			t.Helper()
			w.freeze(t, mhc)
			annotate(t, w, mhc, clusterv1.PausedAnnotation, "")
		},
	}
	for name, hold := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t)
			w.template(t)
			a := w.sick(t, "a")
			mhc := w.check(t, byTemplate())
			w.reconcile(t, mhc)
			w.judge(t, a, metav1.ConditionTrue)
			hold(t, w, mhc)
			w.reconcile(t, mhc)
			w.wantTreated(t, "a: request")
		})
	}
}
