package checks_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

func pods(ns *corev1.Namespace) (client.ObjectList, []client.ListOption) {
	return &corev1.PodList{}, []client.ListOption{client.InNamespace(ns.Name), client.MatchingLabels{"app": "web"}}
}

// pod returns a Pod whose phase is the verdict.
func pod(namespace, name, verdict string) client.Object {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": "web"}},
		Status:     corev1.PodStatus{Phase: corev1.PodPhase(verdict)},
	}
}

var recheck = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// byPhase returns the verdict in the phase of a Pod.
func byPhase(p *corev1.Pod) healthcheck.Result {
	switch p.Status.Phase {
	case "True":
		return healthcheck.Result{Status: healthcheck.True, Reason: "Fine", RecheckAt: recheck}
	case "False":
		return healthcheck.Result{Status: healthcheck.False, Reason: "Bad", Message: "is bad", Codes: []string{"E2", "E1"}}
	case "Rolling":
		return healthcheck.Result{Status: healthcheck.Progressing, Reason: "Rolling", Cause: "revision 1", Message: "rolls", Within: time.Minute}
	default:
		return healthcheck.Result{Status: healthcheck.Status(p.Status.Phase), Reason: "Odd", Within: time.Hour}
	}
}

func TestEach(t *testing.T) {
	bad := func(message string) healthcheck.Result {
		return healthcheck.Result{Status: healthcheck.False, Reason: "Bad", Message: message, Codes: []string{"E1", "E2"}}
	}
	other := pod("shop", "other", "False")
	other.SetLabels(map[string]string{"app": "db"})
	var many []client.Object
	for i := range 7 {
		many = append(many, pod("shop", fmt.Sprint("p", i), "False"))
	}
	rechecked := bad("Not healthy: Pod shop/b: is bad")
	rechecked.RecheckAt = recheck
	tests := map[string]struct {
		pods    []client.Object
		options []checks.Option
		want    healthcheck.Result
	}{
		"healthy":           {[]client.Object{pod("shop", "a", "True"), pod("shop", "b", "True")}, nil, healthcheck.Result{Status: healthcheck.True, Reason: "Fine", RecheckAt: recheck}},
		"none":              {nil, nil, fails(checks.ReasonNotFound, "No Pod is found")},
		"none, skipped":     {nil, []checks.Option{checks.MissingIsSkipped()}, healthcheck.Result{Status: healthcheck.Skipped, Reason: checks.ReasonNotFound, Message: "No Pod is found"}},
		"others":            {[]client.Object{other, pod("elsewhere", "a", "False")}, nil, fails(checks.ReasonNotFound, "No Pod is found")},
		"one is bad":        {[]client.Object{pod("shop", "b", "False"), pod("shop", "a", "True")}, nil, rechecked},
		"many are bad":      {many, nil, bad("Not healthy: Pod shop/p0: is bad; Pod shop/p1: is bad; Pod shop/p2: is bad; Pod shop/p3: is bad; Pod shop/p4: is bad; and more")},
		"skipped ones":      {[]client.Object{pod("shop", "a", "Skipped"), pod("shop", "b", "False")}, nil, bad("Not healthy: Pod shop/b: is bad")},
		"all skipped":       {[]client.Object{pod("shop", "a", "Skipped")}, nil, healthcheck.Result{Status: healthcheck.Skipped, Reason: "AllSkipped"}},
		"unknown":           {[]client.Object{pod("shop", "a", "Unknown"), pod("shop", "b", "Rolling")}, nil, healthcheck.Result{Status: healthcheck.Unknown, Reason: "Odd", Within: time.Hour, Message: "Cannot be judged: Pod shop/a: Odd"}},
		"bad, not unknown":  {[]client.Object{pod("shop", "a", "Unknown"), pod("shop", "b", "False")}, nil, bad("Not healthy: Pod shop/b: is bad")},
		"invalid":           {[]client.Object{pod("shop", "a", "Perhaps"), pod("shop", "b", "False")}, nil, healthcheck.Result{Status: "Perhaps", Reason: "Odd", Within: time.Hour, Message: "Not healthy: Pod shop/a: Odd"}},
		"progressing twice": {[]client.Object{pod("shop", "b", "Progressing"), pod("shop", "a", "Rolling")}, nil, healthcheck.Result{Status: healthcheck.Progressing, Reason: "Rolling", Cause: "Pod shop/a revision 1", Within: time.Minute, Message: "In progress: Pod shop/a: rolls; Pod shop/b: Odd"}},
		"without cause":     {[]client.Object{pod("shop", "b", "Progressing")}, nil, healthcheck.Result{Status: healthcheck.Progressing, Reason: "Odd", Cause: "Pod shop/b Odd", Within: time.Hour, Message: "In progress: Pod shop/b: Odd"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := run(t, checks.Each("pods", checks.Target, pods, byPhase, tt.options...), nil, fake.NewClientBuilder().WithObjects(tt.pods...).Build())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestEachRecheck: a past recheck time of one object does not hide a future one of another.
func TestEachRecheck(t *testing.T) {
	rule := func(p *corev1.Pod) healthcheck.Result {
		r := byPhase(p)
		r.RecheckAt = map[string]time.Time{"a": recheck.Add(-time.Hour), "b": recheck}[p.Name]
		return r
	}
	check := checks.Each("pods", checks.Target, pods, rule)
	target := fake.NewClientBuilder().WithObjects(pod("shop", "a", "Rolling"), pod("shop", "b", "Rolling")).Build()
	got, err := check.Check.Check(t.Context(), healthcheck.Input[*corev1.Namespace]{
		Object: shop, Now: recheck.Add(-time.Minute), Env: healthcheck.Env{Target: target},
	})
	if err != nil || !got.RecheckAt.Equal(recheck) {
		t.Errorf("it is to be looked at again at %s, error %v, want %s", got.RecheckAt, err, recheck)
	}
}

// TestEachUnstructured lists a kind that has no Go type.
func TestEachUnstructured(t *testing.T) {
	find := func(*corev1.Namespace) (client.ObjectList, []client.ListOption) {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion("v1")
		list.SetKind("PodList")
		return list, nil
	}
	rule := func(u *unstructured.Unstructured) healthcheck.Result { return fails("Bad", u.GetName()) }
	c := fake.NewFakeClient(pod("shop", "a", "True"))
	got, err := run(t, checks.Each("pods", checks.Source, find, rule), c, nil)
	if diff := cmp.Diff(fails("Bad", "Not healthy: Pod shop/a: a"), got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got)\n%s", err, diff)
	}
	_, err = run(t, checks.Each("pods", checks.Source, find, byPhase), c, nil)
	if err == nil || err.Error() != "the list for kind Pod has items of type *unstructured.Unstructured" {
		t.Errorf("a rule for another type: %v", err)
	}
}

// TestEachPastDeadline: of two objects with their own deadlines, the one past its deadline is reported.
func TestEachPastDeadline(t *testing.T) {
	rule := func(p *corev1.Pod) healthcheck.Result {
		r := healthcheck.Result{Status: healthcheck.Progressing, Reason: "Starting", Message: "is starting"}
		r.Deadline = map[string]time.Time{"a": recheck.Add(time.Hour), "b": recheck.Add(-time.Hour)}[p.Name]
		return r
	}
	target := fake.NewClientBuilder().WithObjects(pod("shop", "a", ""), pod("shop", "b", "")).Build()
	got, err := checks.Each("pods", checks.Target, pods, rule).Check.Check(t.Context(), healthcheck.Input[*corev1.Namespace]{
		Object: shop, Now: recheck, Env: healthcheck.Env{Target: target},
	})
	if err != nil || got.Status != healthcheck.False || got.Message != "Not healthy: Pod shop/b: is starting" || !got.RecheckAt.Equal(recheck.Add(time.Hour)) {
		t.Errorf("it is %+v, %v", got, err)
	}
}
