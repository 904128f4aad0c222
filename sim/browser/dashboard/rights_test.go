package dashboard_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/dashboard"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/sim/browser"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// namespace has everything that the guarded dashboard shows.
const namespace = metav1.NamespaceDefault

// TestRights: with TLS and a real API server, nobody sees anything without a token, and only people with the right to read see
// anything. A form first shows what it will do, and does it with the person's own rights. Other sites cannot trigger it.
func TestRights(t *testing.T) {
	t.Parallel()
	w := guarded(t)
	page := chromium.Page(t, browser.Options{AnyCertificate: true})
	page.Expect("status of 401")
	page.Expect("status of 403")
	if status := page.Open(w.address + "/machines"); status != http.StatusUnauthorized {
		t.Errorf("without a token it answers %d", status)
	}
	look(t, page, "the form to sign in")
	w.signIn(page, "bob")
	page.Await("what bob may not", `document.querySelector("[role=alert]").innerText.includes("bob may not list")`)
	w.signIn(page, "alice")
	page.Await("what alice may see", `location.pathname === "/machines" && document.querySelector("main").innerText.includes("m1")`)

	w.askHold(page)
	page.Await("the refusal", `document.querySelector("[role=alert]").innerText.includes("cannot patch")`)
	if held := w.held(t); held != "" {
		t.Errorf("alice, who may only read, has held the machine until %s", held)
	}
	page.Click(`form[action="/logout"] button`)
	page.Await("the form to sign in", `location.pathname === "/login"`)
	w.signIn(page, "carol")
	page.Await("the fleet", `location.pathname === "/"`)
	w.askHold(page)
	page.Await("the confirmation", `document.querySelector("main").innerText.toLowerCase().includes("nothing is written yet")`)
	look(t, page, "the confirmation")
	if held := w.held(t); held != "" {
		t.Errorf("the machine is held until %s before that was confirmed", held)
	}
	page.Click(`form[action="/act/hold"] button`)
	page.Await("what was done", `document.querySelector("main").innerText.toLowerCase().startsWith("written")`)
	look(t, page, "what was done")
	if w.held(t) == "" {
		t.Error("carol, who may, has not held the machine")
	}

	page.Expect(w.address) // where the other site leads
	page.Open(w.otherSite(t))
	page.Await("the refusal", `location.origin === "`+w.address+`"`)
	if w.held(t) == "" {
		t.Error("another site has released the machine")
	}
}

// guardedWorld is a world with a dashboard as a manager serves it.
type guardedWorld struct {
	*world.World
	address string
	tokens  map[string]string
}

// guarded starts an API server with a sick machine, and a dashboard of it for three people: bob may read nothing, alice may read,
// and carol may also change machines.
func guarded(t *testing.T) *guardedWorld {
	t.Helper()
	made, err := world.Start(t.Context(), world.Options{Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = made.Stop(context.Background()) })
	w := &guardedWorld{World: made, tokens: map[string]string{}}
	cluster := build.InCluster("blue")
	if err := made.CreateSynthetic(t.Context(), client.ObjectKey{Namespace: namespace, Name: "blue"}); err != nil {
		t.Fatal(err)
	}
	build.Create(t.Context(), t, made.Client(), build.Machine(namespace, "m1", cluster, build.NodeRef("n1")),
		build.MachineHealthCheck(namespace, "workers", cluster, build.Selector(map[string]string{clusterv1.ClusterNameLabel: "blue"})))
	var sees []rbacv1.PolicyRule
	for _, kind := range dashboard.Shown() {
		sees = append(sees, rule(kind.Group, kind.Resource, "get", "list", "watch"))
	}
	w.account(t, "bob")
	w.account(t, "alice", sees...)
	w.account(t, "carol", append(sees, rule(clusterv1.GroupVersion.Group, "machines", "patch"))...)
	w.serve(t)
	return w
}

func rule(group, resource string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}

// account creates a ServiceAccount with rights, and a token for it.
func (w *guardedWorld) account(t *testing.T, name string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: name}
	account := &corev1.ServiceAccount{ObjectMeta: meta}
	build.Create(t.Context(), t, w.Client(), account, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
	})
	request := &authenticationv1.TokenRequest{}
	if err := w.Client().SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	w.tokens[name] = request.Status.Token
}

// serve serves the dashboard until the test ends.
func (w *guardedWorld) serve(t *testing.T) {
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	observer, err := app.NewObserver(ctx, w.Config(), app.DefaultOptions())
	if err != nil {
		end()
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- observer.Run(ctx) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if err := world.Poll(t.Context(), observer.Ready); err != nil {
		t.Fatal(err)
	}
	guard, err := dashboard.NewGuard(dashboard.GuardOptions{Config: w.Config(), Scheme: w.Client().Scheme(), Mapper: w.Client().RESTMapper(), Clock: clock.RealClock{}})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := dashboard.New(dashboard.Options{Fleet: observer.Fleet, Clock: clock.RealClock{}, Actions: guard, Viewer: dashboard.Viewer})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = pages.Run(ctx) }()
	server := httptest.NewTLSServer(guard.Protect(pages.Handler()))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	w.address = server.URL
}

func (w *guardedWorld) signIn(page *browser.Page, name string) {
	page.Type("#token", w.tokens[name])
	page.Click("form button")
}

// askHold puts the machine on hold with the form on its page.
func (w *guardedWorld) askHold(page *browser.Page) {
	page.Open(w.address + "/machines/" + namespace + "/m1")
	page.Type(`form[action="/act/hold"] input[name=reason]`, "its disk is being looked at")
	page.Click(`form[action="/act/hold"] button`)
}

// held returns until when the machine is on hold; empty if it is not.
func (w *guardedWorld) held(t *testing.T) string {
	t.Helper()
	var m clusterv1.Machine
	if err := w.Client().Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "m1"}, &m); err != nil {
		t.Fatal(err)
	}
	return m.Annotations[mhcspec.HoldUntilAnnotation]
}

// otherSite returns the address of a foreign page that sends a form to the dashboard as soon as it is opened.
func (w *guardedWorld) otherSite(t *testing.T) string {
	t.Helper()
	form := fmt.Sprintf(`<!doctype html><html lang="en"><title>Elsewhere</title><form method="post" action="%s/act/release">
		<input name="namespace" value="%s"><input name="object" value="machine/m1"><input name="seen" value="anything"></form>
		<script>document.forms[0].submit()</script>`, w.address, namespace)
	site := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(answer, r)
			return
		}
		_, _ = answer.Write([]byte(form))
	}))
	t.Cleanup(site.Close)
	return strings.Replace(site.URL, "127.0.0.1", "localhost", 1) + "/"
}
