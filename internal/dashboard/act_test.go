package dashboard

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/settle"
	"github.com/sickbay-dev/sickbay/internal/useractions"
)

// stage is a door with a sick machine whose repair waits for approval.
type stage struct {
	*door
	acts *httptest.Server
	// refreshed counts how often the pages were refreshed after a write.
	refreshed int
	machine   *clusterv1.Machine
	record    *v1alpha1.MachineRemediation
}

const sickness = "Node condition Ready is Unknown for more than 5m0s"

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{door: newDoor(t, clock.RealClock{})}
	mux := http.NewServeMux()
	mux.Handle("POST /act/{verb}", &acts{actions: s.guard, clock: clock.RealClock{}, written: func(context.Context) { s.refreshed++ }, show: func(w http.ResponseWriter, _ *http.Request, status int, page actPage) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(page)
	}})
	s.acts = s.serve(mux)
	c, sickAt := env.Get(t).Client, time.Now().Add(-10*time.Minute).Truncate(time.Second)
	cluster, set := build.Cluster(s.ns, "blue"), build.MachineSet(s.ns, "md-0", build.InCluster("blue"))
	mhc := build.MachineHealthCheck(s.ns, "workers", build.InCluster("blue"), build.Selector(map[string]string{clusterv1.ClusterNameLabel: "blue"}))
	build.Create(t.Context(), t, c, cluster, set, mhc)
	stored := build.Condition(verdict.ConditionType, metav1.ConditionFalse, "NodeReadyUnknown", sickAt).WithMessage(sickness)
	s.machine = build.Machine(s.ns, "metal-3", build.InCluster("blue"), build.OwnedBy(set), build.NodeRef("metal-3"), stored)
	build.Create(t.Context(), t, c, s.machine)
	s.record = settle.Admitted(cluster, mhc, s.machine, v1alpha1.RemediationStep{
		Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(3600)), Approval: v1alpha1.ApprovalRequired,
	})
	build.Create(t.Context(), t, c, s.record)
	s.settle()
	return s
}

// settle stores the ladder's decisions about the record while its machine is sick.
func (s *stage) settle(changes ...func(*ladder.Facts)) {
	s.t.Helper()
	settle.Record(s.t, env.Get(s.t).Client, s.record, time.Now(), changes...)
}

// decided returns the decision in the record; nil if there is none.
func (s *stage) decided() *v1alpha1.RemediationDecision {
	s.t.Helper()
	if err := env.Get(s.t).Client.Get(s.t.Context(), client.ObjectKeyFromObject(s.record), s.record); err != nil {
		s.t.Fatal(err)
	}
	return s.record.Spec.Decision
}

// held returns the annotations of a hold on the machine.
func (s *stage) held() [2]string {
	s.t.Helper()
	if err := env.Get(s.t).Client.Get(s.t.Context(), client.ObjectKeyFromObject(s.machine), s.machine); err != nil {
		s.t.Fatal(err)
	}
	a := s.machine.Annotations
	return [2]string{a[mhcspec.HoldUntilAnnotation], a[mhcspec.HoldReasonAnnotation]}
}

// post sends a form with a token, and returns the page in the answer.
func (s *stage) post(token, verb string, form url.Values) (status int, page actPage) {
	s.t.Helper()
	got := asks(s.t, s.acts, http.MethodPost, "/act/"+verb, form, "Cookie", tokenCookie+"="+token, "Sec-Fetch-Site", "same-origin")
	if err := json.Unmarshal([]byte(got.body), &page); err != nil {
		s.t.Fatalf("%s: %s", got.Status, got.body)
	}
	return got.StatusCode, page
}

// confirmed returns the fields of a page's form.
func confirmed(page actPage) url.Values {
	form := url.Values{}
	for _, field := range page.Form {
		form.Set(field.Name, field.Value)
	}
	return form
}

// decides returns the rights of a person who decides about repairs and holds machines.
func decides() []rbacv1.PolicyRule {
	return append(sees(), rule("sickbay.dev", "machineremediations", "patch"), rule("cluster.x-k8s.io", "machines", "patch"))
}

// TestAct: an action is shown before it is carried out, and the record says who did it.
func TestAct(t *testing.T) {
	s := newStage(t)
	alice := s.account("alice", decides()...)
	form := url.Values{"namespace": {s.ns}, "object": {"mr/" + s.record.Name}, "reason": {" its data is safe "}}
	status, shown := s.post(alice, "approve", form)
	if want := "Approve step replace on metal-3 (attempt 1 of mr/" + s.record.Name + ")"; status != http.StatusOK || shown.Title != want || shown.Verb != "approve" || shown.Failed {
		t.Errorf("shows %d: %+v", status, shown)
	}
	if said := linesOf(shown); !strings.Contains(said, "Does: MachineSet md-0 is asked to replace the machine") || !strings.Contains(said, "By: "+s.user("alice")) {
		t.Errorf("shows %s", said)
	}
	if d := s.decided(); d != nil {
		t.Errorf("it is written before it is confirmed: %+v", d)
	}
	status, done := s.post(alice, "approve", confirmed(shown))
	if status != http.StatusOK || done.Said != "Written to mr/"+s.record.Name+"." || done.Form != nil || done.Back != "/records/"+s.ns+"/"+s.record.Name || done.About != "mr/"+s.record.Name {
		t.Errorf("says %d: %+v", status, done)
	}
	if said := linesOf(done); strings.Contains(said, "waits for a person to approve it") || !strings.Contains(said, "Does: ") {
		t.Errorf("says how it stood before: %s", said)
	}
	if s.refreshed != 1 {
		t.Errorf("the pages were brought up to date %d times", s.refreshed)
	}
	want := &v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerApprove, By: s.user("alice"), Reason: "its data is safe"}
	if diff := cmp.Diff(want, s.decided()); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if writer := s.record.ManagedFields[len(s.record.ManagedFields)-1].Manager; writer != fieldOwner {
		t.Errorf("it was written as %s", writer)
	}
	version := s.record.ResourceVersion
	if status, again := s.post(alice, "approve", confirmed(shown)); status != http.StatusOK || !strings.Contains(again.Said, " has answered Approve already") {
		t.Errorf("once more it says %d: %+v", status, again)
	}
	if s.decided(); s.record.ResourceVersion != version {
		t.Error("it was written once more")
	}
}

// linesOf returns the lines of a page as text.
func linesOf(page actPage) string {
	var all []string
	for _, line := range page.Lines {
		all = append(all, line.Label+": "+line.Text)
	}
	return strings.Join(all, "\n")
}

// TestActOnWhatHasChanged: if the object has changed since the action was shown, the action is shown again.
func TestActOnWhatHasChanged(t *testing.T) {
	s := newStage(t)
	alice := s.account("alice", decides()...)
	form := url.Values{"namespace": {s.ns}, "object": {"mr/" + s.record.Name}}
	_, shown := s.post(alice, "cancel", form)
	s.record.Labels["other"] = "label"
	if err := env.Get(t).Client.Update(t.Context(), s.record); err != nil {
		t.Fatal(err)
	}
	status, anew := s.post(alice, "cancel", confirmed(shown))
	if status != http.StatusConflict || anew.Said != "The object changed after this was shown, so nothing was written. The action would now do the following." || s.decided() != nil {
		t.Fatalf("says %d: %+v", status, anew)
	}
	if status, done := s.post(alice, "cancel", confirmed(anew)); status != http.StatusOK || s.decided() == nil {
		t.Errorf("says %d: %+v", status, done)
	}
}

// TestActHolds puts a machine on hold and releases it. The end of the hold is fixed when it is shown.
func TestActHolds(t *testing.T) {
	s := newStage(t)
	alice := s.account("alice", decides()...)
	form := url.Values{"namespace": {s.ns}, "object": {"machine/metal-3"}, "for": {"2h"}, "reason": {"its disk is being replaced"}}
	_, shown := s.post(alice, "hold", form)
	until := confirmed(shown).Get("until")
	if s.held() != [2]string{} || !strings.HasPrefix(shown.Title, "Hold machine/metal-3 until "+until) {
		t.Fatalf("shows %+v", shown)
	}
	// Other changes to the machine do not matter.
	s.machine.Labels["other"] = "label"
	if err := env.Get(t).Client.Update(t.Context(), s.machine); err != nil {
		t.Fatal(err)
	}
	if status, done := s.post(alice, "hold", confirmed(shown)); status != http.StatusOK || done.Back != "/machines/"+s.ns+"/metal-3" {
		t.Errorf("says %d: %+v", status, done)
	}
	if diff := cmp.Diff([2]string{until, "its disk is being replaced (by " + s.user("alice") + ")"}, s.held()); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	_, shown = s.post(alice, "release", form)
	if status, done := s.post(alice, "release", confirmed(shown)); status != http.StatusOK || s.held() != [2]string{} {
		t.Errorf("says %d: %+v", status, done)
	}
}

// TestActWithoutRights: the API server refuses, and nothing is written, whatever the manager's own rights are.
func TestActWithoutRights(t *testing.T) {
	s := newStage(t)
	carol := s.account("carol", sees()...)
	status, page := s.post(carol, "approve", url.Values{"namespace": {s.ns}, "object": {"mr/" + s.record.Name}})
	want := `machineremediations.sickbay.dev "` + s.record.Name + `" is forbidden: User "` + s.user("carol") + `" cannot patch resource "machineremediations" in API group "sickbay.dev" in the namespace "` +
		s.ns + `". The ClusterRole sickbay-decide permits it.`
	if status != http.StatusForbidden || page.Said != want || page.Form != nil || !page.Failed || s.decided() != nil {
		t.Errorf("says %d: %+v", status, page)
	}
	// The same holds without the page that asks.
	seen := string(s.record.UID) + "/" + s.record.ResourceVersion
	if status, page := s.post(carol, "approve", url.Values{"namespace": {s.ns}, "object": {"mr/" + s.record.Name}, "seen": {seen}}); status != http.StatusForbidden || s.decided() != nil {
		t.Errorf("says %d: %+v", status, page)
	}
	if status, page := s.post(carol, "hold", url.Values{"namespace": {s.ns}, "object": {"machine/metal-3"}, "for": {"1h"}}); status != http.StatusForbidden || s.held() != [2]string{} {
		t.Errorf("says %d: %+v", status, page)
	}
}

// TestActRefused: a sentence says why, and nothing is written.
func TestActRefused(t *testing.T) {
	s := newStage(t)
	alice := s.account("alice", decides()...)
	mr := "mr/" + s.record.Name
	for name, tt := range map[string]struct {
		verb   string
		form   url.Values
		status int
		want   string
	}{
		"no such action":   {"delete", url.Values{"object": {mr}}, http.StatusBadRequest, `there is no action "delete".`},
		"no object":        {"approve", url.Values{}, http.StatusBadRequest, "does not support the action approve."},
		"a machine":        {"approve", url.Values{"object": {"machine/metal-3"}}, http.StatusBadRequest, "does not support the action approve."},
		"hold of a record": {"hold", url.Values{"object": {mr}, "for": {"1h"}}, http.StatusBadRequest, "does not support the action hold."},
		"no time":          {"hold", url.Values{"object": {"machine/metal-3"}}, http.StatusBadRequest, `a hold for "": it must be a duration such as 45m, 2h or 3d.`},
		"negative":         {"hold", url.Values{"object": {"machine/metal-3"}, "for": {"-1h"}}, http.StatusBadRequest, `a hold for "-1h": it must be a duration such as 45m, 2h or 3d.`},
		"over":             {"hold", url.Values{"object": {"machine/metal-3"}, "until": {"2020-01-01T00:00:00Z"}}, http.StatusBadRequest, `a hold until "2020-01-01T00:00:00Z": it must be a time in the future, such as 2006-01-02T15:04:05Z.`},
		"no such record":   {"approve", url.Values{"object": {"mr/<b>"}}, http.StatusConflict, "there is no mr/<b> in namespace " + s.ns + "."},
		"elsewhere":        {"approve", url.Values{"object": {"mr/../../secrets/x"}}, http.StatusConflict, `invalid resource name "../../secrets/x"`},
		"no such machine":  {"release", url.Values{"object": {"machine/metal-9"}}, http.StatusConflict, "there is no machine/metal-9 in namespace " + s.ns + "."},
		"no such step":     {"retry", url.Values{"object": {mr}, "step": {"reboot"}}, http.StatusConflict, mr + ` has no step "reboot": it has replace.`},
		"too long":         {"approve", url.Values{"object": {mr}, "reason": {strings.Repeat("ä", 1025)}}, http.StatusConflict, "the reason has 1025 characters: it must have at most 1024."},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			tt.form.Set("namespace", s.ns)
			status, page := s.post(alice, tt.verb, tt.form)
			if status != tt.status || !strings.Contains(page.Said, tt.want) || page.Title != "Nothing was written" || page.Form != nil || !page.Failed {
				t.Errorf("says %d: %+v", status, page)
			}
		})
	}
	s.t = t
	if s.decided() != nil || s.held() != [2]string{} {
		t.Error("something was written")
	}
}

// TestAlone: on a person's own computer, all actions are that person's.
func TestAlone(t *testing.T) {
	person := &useractions.Person{Name: "alice"}
	if got, err := (Alone{person}).Person(nil); got != person || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// TestNobodyActs: without a guard, there is no person who could act.
func TestNobodyActs(t *testing.T) {
	if _, err := (&Guard{}).Person(httptest.NewRequest(http.MethodPost, "/act/approve", nil)); err == nil {
		t.Error("somebody nobody knows acts")
	}
}

// nothing is an empty fleet.
type nothing struct{ Fleet }

func (nothing) Look(context.Context, string) (explain.Facts, error) { return explain.Facts{}, nil }

// TestActPages: on the real pages, text that people typed stays text, and without actions nothing can be done.
func TestActPages(t *testing.T) {
	s := newStage(t)
	alice := s.account("alice", decides()...)
	pages := func(actions Actions) *httptest.Server {
		d, err := New(Options{Fleet: nothing{}, Clock: clock.RealClock{}, Actions: actions, Viewer: Viewer})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		go func() { _ = d.Run(ctx) }()
		return s.serve(d.Handler())
	}
	hostile := `"><script>alert(1)</script>`
	form := url.Values{"namespace": {s.ns}, "object": {"mr/" + s.record.Name}, "reason": {hostile}}
	cookie := []string{"Cookie", tokenCookie + "=" + alice}
	on := pages(s.guard)
	for object, want := range map[string]string{
		"mr/" + s.record.Name: "Approve step replace on metal-3", "mr/" + hostile: "Nothing was written", hostile: "Nothing was written",
	} {
		form.Set("object", object)
		got := asks(t, on, http.MethodPost, "/act/approve", form, cookie...)
		if !strings.Contains(got.body, "<h1>"+want) || strings.Contains(got.body, "<script>alert") || !strings.Contains(got.body, "&lt;script&gt;") {
			t.Errorf("%s: %s: %s", object, got.Status, got.body)
		}
		if policy := got.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; script-src 'self';") {
			t.Errorf("the policy is %q", policy)
		}
		if !strings.Contains(got.body, "You act as "+s.user("alice")) || !strings.Contains(got.body, `<form method="post" action="/logout">`) {
			t.Errorf("it does not say who acts: %s", got.body)
		}
	}
	if got := asks(t, on, http.MethodGet, "/act/approve", nil, cookie...); got.StatusCode != http.StatusMethodNotAllowed && got.StatusCode != http.StatusNotFound {
		t.Errorf("a link acts: %s", got.Status)
	}
	form.Set("object", "mr/"+s.record.Name)
	if got := asks(t, pages(nil), http.MethodPost, "/act/approve", form, cookie...); got.StatusCode != http.StatusMethodNotAllowed || s.decided() != nil {
		t.Errorf("where actions are off: %s: %s", got.Status, got.body)
	}
	if got := asks(t, on, http.MethodGet, "/assets/none.css", nil); got.StatusCode != http.StatusNotFound || strings.Contains(got.body, "Manager") {
		t.Errorf("a stranger reads %s: %s", got.Status, got.body)
	}
}
