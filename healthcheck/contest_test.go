package healthcheck_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// patches counts the PATCHes of clients.
type patches struct{ atomic.Int32 }

// transport lets a client's PATCHes be counted.
func (p *patches) transport(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		if req.Method == http.MethodPatch {
			p.Add(1)
		}
		return next.RoundTrip(req)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// patching returns a client whose PATCHes are counted.
func patching(t *testing.T, e *env.Env) (client.Client, *patches) {
	t.Helper()
	sent := &patches{}
	config := rest.CopyConfig(e.Config)
	config.Wrap(sent.transport)
	c, err := client.New(config, client.Options{Scheme: e.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c, sent
}

// overwrite has the Widget's condition Healthy say something else, if it does not.
func overwrite(t *testing.T, c client.Client, widget *Widget, manager string) {
	t.Helper()
	widget = read(t, c, widget)
	for i, c := range widget.Status.Conditions {
		if c.Type == "Healthy" && c.Reason != "ByHand" {
			widget.Status.Conditions[i].Reason, widget.Status.Conditions[i].Status = "ByHand", metav1.ConditionFalse
		}
	}
	if err := c.Status().Update(t.Context(), widget, client.FieldOwner(manager)); err != nil {
		t.Log("overwriting: ", err) // The next try will succeed.
	}
}

// TestContestWithAnotherController: the engine writes a few times, gives way, and says once who the other is.
func TestContestWithAnotherController(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	c, sent := patching(t, f.env)
	recorder := events.NewFakeRecorder(100)
	r := &healthcheck.Reconciler[*Widget]{Registration: f.Registration}
	r.Name, r.OnTransition, r.Recorder, r.MinInterval = f.widget.Namespace, nil, recorder, 10*time.Millisecond
	r.Store = healthcheck.Metav1Store[*Widget]{Client: c, FieldOwner: fieldOwner}
	f.env.Manager(t, env.ManagerOptions{Namespaces: []string{f.widget.Namespace}, Setup: r.SetupWithManager})
	g.Eventually(func() int { return len(f.stored(t).Status.Conditions) }, patience).Should(Equal(1))
	g.Eventually(func() int32 { overwrite(t, f.env.Client, f.widget, "by-hand"); return sent.Load() }, patience).Should(BeEquivalentTo(4), "one, and three times again")
	g.Consistently(func() int32 { overwrite(t, f.env.Client, f.widget, "by-hand"); return sent.Load() }, "3s").Should(BeEquivalentTo(4), "each in one request")
	var contests []string
	for len(recorder.Events) > 0 {
		if event := <-recorder.Events; strings.Contains(event, healthcheck.ReasonContested) {
			contests = append(contests, event)
		}
	}
	g.Expect(contests).To(ConsistOf(And(ContainSubstring(`Condition Healthy is also written by "by-hand"`), ContainSubstring("10s"))))
	count, err := testutil.GatherAndCount(metrics.Registry, "sickbay_conditions_overwritten_total")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(count).To(BeNumerically(">=", 1))
}

// TestContestIsPerCondition: while one condition is contested, the others are written as ever, and so is what sums them up.
func TestContestIsPerCondition(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	second := result(healthcheck.True, "Fine", "")
	f.Conditions = append(f.Conditions, condition("Second", func() (healthcheck.Result, error) { return second, nil }))
	f.Root.Type = "Ready"
	for range 4 {
		f.reconcile(t)
		overwrite(t, f.env.Client, f.widget, "by-hand")
	}
	second = result(healthcheck.False, "Broken", "")
	again := f.reconcile(t).RequeueAfter
	if again != 10*time.Second {
		t.Errorf("it is looked at again after %s", again)
	}
	got := map[string]string{}
	for _, c := range f.stored(t).Status.Conditions {
		got[c.Type] = c.Reason
	}
	NewWithT(t).Expect(got).To(Equal(map[string]string{"Healthy": "ByHand", "Second": "Broken", "Ready": "Broken"}))
	f.clock.SetTime(f.clock.Now().Add(again))
	f.reconcile(t)
	if got := f.stored(t).Status.Conditions[0].Reason; got != "Fine" {
		t.Errorf("after the pause its reason is %s", got)
	}
}

// TestContestOfTwoPrograms: two programs with registrations of one name exchange a few writes, whether they write one
// condition or remove each other's.
func TestContestOfTwoPrograms(t *testing.T) {
	for name, types := range map[string][2]string{"one condition": {"Healthy", "Healthy"}, "one name, two conditions": {"Healthy", "Other"}} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			f := newHarness(t, healthcheck.Result{})
			c, sent := patching(t, f.env)
			for i, conditionType := range types {
				r := healthcheck.New(f.Registration)
				r.OnTransition, r.MinInterval = nil, 10*time.Millisecond
				r.Store = healthcheck.Metav1Store[*Widget]{Client: c, FieldOwner: fieldOwner}
				r.Conditions = []healthcheck.ConditionChecks[*Widget]{condition(conditionType, says(result(healthcheck.True, []string{"A", "B"}[i], ""), nil))}
				f.env.Manager(t, env.ManagerOptions{Namespaces: []string{f.widget.Namespace}, Setup: r.SetupWithManager})
			}
			g.Eventually(sent.Load, patience).Should(BeNumerically(">=", 4))
			g.Consistently(sent.Load, "3s").Should(BeNumerically("<=", 20))
			rest := sent.Load()
			g.Consistently(sent.Load, "2s").Should(Equal(rest), "both give way")
		})
	}
}

// TestOneRegistrationForACondition: two of one manager must not write the same.
func TestOneRegistrationForACondition(t *testing.T) {
	g := NewWithT(t)
	e := env.Get(t)
	mgr, err := ctrl.NewManager(e.Config, ctrl.Options{Scheme: e.Scheme})
	g.Expect(err).NotTo(HaveOccurred())
	add := func(name, conditionType, subset string) error {
		r := healthcheck.New(healthcheck.Registration[*Widget]{Name: t.Name() + name, Subset: subset, Conditions: []healthcheck.ConditionChecks[*Widget]{
			condition(conditionType, says(result(healthcheck.True, "Fine", ""), nil)),
		}})
		return r.SetupWithManager(mgr)
	}
	g.Expect(add("one", "Warm", "")).To(Succeed())
	g.Expect(add("two", "Warm", "")).To(MatchError(ContainSubstring(
		`wants condition type "Warm" of kind Widget, which registration "TestOneRegistrationForAConditionone" of the same manager already has`)))
	g.Expect(add("one", "Cold", "")).To(MatchError(ContainSubstring("wants the name")))
	g.Expect(add("three", "Cold", "")).To(Succeed())
	g.Expect(add("four", "Warm", "large")).To(Succeed(), "they are about other objects")
}

// TestRenamedRegistration: what was applied under the old name is taken over or removed, and so is its clock.
func TestRenamedRegistration(t *testing.T) {
	f := newHarness(t, healthcheck.Result{Status: healthcheck.Progressing, Reason: "Moving", Within: time.Hour})
	as := func(name string, former []string, types ...string) *healthcheck.Reconciler[*Widget] {
		r := healthcheck.New(f.Registration)
		r.OnTransition, r.Client, r.Clock = nil, f.env.Client, f.clock
		r.Store = healthcheck.Metav1Store[*Widget]{Client: f.env.Client, FieldOwner: name, FormerOwners: former}
		r.Progress = healthcheck.AnnotationProgress[*Widget]{Client: f.env.Client, Name: name, FormerNames: former}
		r.Conditions = nil
		for _, conditionType := range types {
			r.Conditions = append(r.Conditions, condition(conditionType, func() (healthcheck.Result, error) { return f.result, nil }))
		}
		return r
	}
	look := func(r *healthcheck.Reconciler[*Widget]) {
		t.Helper()
		if _, err := r.Reconcile(t.Context(), f.request()); err != nil {
			t.Fatal(err)
		}
	}
	g := NewWithT(t)
	look(as("old", nil, "Stays", "Goes"))
	look(as("foreign", nil, "Foreign"))
	f.clock.SetTime(in(time.Hour))
	look(as("new", []string{"old"}, "Stays"))
	widget := f.stored(t)
	g.Expect(types(widget)).To(ConsistOf("Stays", "Foreign"))
	g.Expect(widget.Status.Conditions).To(ContainElement(And(HaveField("Type", "Stays"), HaveField("Reason", healthcheck.ReasonDeadlineExceeded))), "its clock went on")
	g.Expect(widget.Annotations).To(HaveLen(2), "the clocks of two registrations")
}
