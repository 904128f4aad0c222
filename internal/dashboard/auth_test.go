package dashboard

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// door is a guard in front of a page, with an API server behind it, for one namespace.
type door struct {
	t     *testing.T
	ns    string
	guard *Guard
	site  *httptest.Server
}

// seer prints the name of the viewer.
var seer = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == eventsPath {
		fmt.Fprintln(w, "first")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	fmt.Fprintf(w, "%s sees %s", Viewer(r), r.URL.Path)
})

func newDoor(t *testing.T, at clock.WithTicker) *door {
	t.Helper()
	e := env.Get(t)
	d := &door{t: t, ns: e.Namespace(t)}
	var err error
	d.guard, err = NewGuard(GuardOptions{Config: e.Config, Scheme: e.Scheme, Mapper: e.Client.RESTMapper(), Namespace: d.ns, Clock: at})
	if err != nil {
		t.Fatal(err)
	}
	d.site = d.serve(seer)
	return d
}

func (d *door) serve(pages http.Handler) *httptest.Server {
	d.t.Helper()
	site := httptest.NewTLSServer(d.guard.Protect(pages))
	site.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	d.t.Cleanup(site.Close)
	return site
}

// account creates a ServiceAccount with rights in the namespace, and returns a token for it.
func (d *door) account(name string, rules ...rbacv1.PolicyRule) (token string) {
	d.t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: d.ns, Name: name}}
	e := env.Get(d.t)
	build.Create(d.t.Context(), d.t, e.Client, account)
	e.Permit(d.t, d.ns, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: d.ns, Name: name}, rules...)
	request := &authenticationv1.TokenRequest{}
	if err := e.Client.SubResource("token").Create(d.t.Context(), account, request); err != nil {
		d.t.Fatal(err)
	}
	d.await(name, rules)
	return request.Status.Token
}

// await waits until the API server has observed the rights.
func (d *door) await(name string, rules []rbacv1.PolicyRule) {
	d.t.Helper()
	for _, rule := range rules {
		NewWithT(d.t).Eventually(func() (bool, error) {
			review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: d.user(name), ResourceAttributes: &authorizationv1.ResourceAttributes{
					Namespace: d.ns, Group: rule.APIGroups[0], Resource: rule.Resources[0], Verb: rule.Verbs[0],
				},
			}}
			err := env.Get(d.t).Client.Create(d.t.Context(), review)
			return review.Status.Allowed, err
		}, time.Minute).Should(BeTrue())
	}
}

func (d *door) user(name string) string { return "system:serviceaccount:" + d.ns + ":" + name }

// sees returns the rights of a person who may see the pages.
func sees() []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for _, kind := range Shown() {
		rules = append(rules, rule(kind.Group, kind.Resource, "get", "list", "watch"))
	}
	return rules
}

func rule(group, resource string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}

// answer is the response to a request.
type answer struct {
	*http.Response
	body string
}

// asks sends a request with headers, given as alternating names and values, and reads the answer.
func asks(t *testing.T, site *httptest.Server, method, path string, form url.Values, headers ...string) answer {
	t.Helper()
	response := sends(t, site, method, path, form, headers...)
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response, string(body)}
}

func sends(t *testing.T, site *httptest.Server, method, path string, form url.Values, headers ...string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, site.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := site.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

const html = "text/html,application/xhtml+xml"

// TestGuard: 401 without a token, 403 without rights, and the page with the right to read what it shows.
func TestGuard(t *testing.T) {
	d := newDoor(t, clock.RealClock{})
	alice, bob := d.account("alice", sees()...), d.account("bob", sees()[1:]...)
	tests := map[string]struct {
		headers []string
		status  int
		want    string
	}{
		"nobody":            {nil, http.StatusUnauthorized, "Sign in to see this page.\n"},
		"a password":        {[]string{"Authorization", "Basic YTpi"}, http.StatusUnauthorized, "Sign in to see this page.\n"},
		"an unknown token":  {[]string{"Authorization", "Bearer forged"}, http.StatusUnauthorized, "The API server does not know this token, or it has expired.\n"},
		"an unknown cookie": {[]string{"Cookie", tokenCookie + "=forged"}, http.StatusUnauthorized, "The API server does not know this token, or it has expired.\n"},
		"no rights": {[]string{"Authorization", "Bearer " + bob}, http.StatusForbidden,
			d.user("bob") + " may not list clusters.cluster.x-k8s.io in the namespace " + d.ns + ", which the pages show. The ClusterRole sickbay-dashboard grants that.\n"},
		"a token":          {[]string{"Authorization", "Bearer " + alice}, http.StatusOK, d.user("alice") + " sees /machines"},
		"a token, oddly":   {[]string{"Authorization", "  bearer   " + alice}, http.StatusOK, d.user("alice") + " sees /machines"},
		"a cookie":         {[]string{"Cookie", tokenCookie + "=" + alice}, http.StatusOK, d.user("alice") + " sees /machines"},
		"header first":     {[]string{"Authorization", "Bearer forged", "Cookie", tokenCookie + "=" + alice}, http.StatusUnauthorized, "The API server does not know this token, or it has expired.\n"},
		"another's cookie": {[]string{"Cookie", "token=" + alice}, http.StatusUnauthorized, "Sign in to see this page.\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := asks(t, d.site, http.MethodGet, "/machines", nil, tt.headers...)
			if got.StatusCode != tt.status || got.body != tt.want {
				t.Errorf("answers %d: %q, want %d: %q", got.StatusCode, got.body, tt.status, tt.want)
			}
			if challenged := got.Header.Get("WWW-Authenticate") != ""; challenged != (tt.status == http.StatusUnauthorized) {
				t.Errorf("challenges: %t", challenged)
			}
		})
	}
	if got := asks(t, d.site, http.MethodHead, "/machines", nil); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("a page that asks whether it may still be seen is answered %s", got.Status)
	}
	if got := asks(t, d.site, http.MethodGet, "/assets/app.css", nil); got.StatusCode != http.StatusOK {
		t.Errorf("the sign-in form has no style: %s: %s", got.Status, got.body)
	}
	for _, path := range []string{"/assets/..%2fmachines", "/assets/..%2ftemplates%2flayout.html", "/assets/none", "/assets/", "/assets"} {
		if got := asks(t, d.site, http.MethodGet, path, nil); got.StatusCode == http.StatusOK {
			t.Errorf("%s: %s: %s", path, got.Status, got.body)
		}
	}
}

// TestGuardShowsTheForm: a browser gets the sign-in page, and then the page that was requested.
func TestGuardShowsTheForm(t *testing.T) {
	d := newDoor(t, clock.RealClock{})
	got := asks(t, d.site, http.MethodGet, "/machines?q=%3Cb%3E&page=2", nil, "Accept", html, "Sec-Fetch-Site", "cross-site")
	if got.StatusCode != http.StatusUnauthorized {
		t.Errorf("answers %s", got.Status)
	}
	for _, want := range []string{`<h1>Sign in</h1>`, `name="next" value="/machines?q=%3Cb%3E&amp;page=2"`, `<a href="/machines?q=%3Cb%3E&amp;page=2">continue</a>`} {
		if !strings.Contains(got.body, want) {
			t.Errorf("lacks %s in\n%s", want, got.body)
		}
	}
	if strings.Contains(got.body, `role="alert"`) {
		t.Errorf("it calls it a problem:\n%s", got.body)
	}
	want := map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
		"Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		"Content-Security-Policy": policy,
	}
	have := map[string]string{}
	for name := range want {
		have[name] = got.Header.Get(name)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if got := asks(t, d.site, http.MethodGet, "/login?next=//evil.example", nil); got.StatusCode != http.StatusOK || !strings.Contains(got.body, `name="next" value="/"`) {
		t.Errorf("answers %s: %s", got.Status, got.body)
	}
}

// TestLogin: the token is stored in a cookie that scripts and other sites cannot read, and signing out removes it.
func TestLogin(t *testing.T) {
	d := newDoor(t, clock.RealClock{})
	alice, bob := d.account("alice", sees()...), d.account("bob")
	got := asks(t, d.site, http.MethodPost, loginPath, url.Values{"token": {" Bearer " + alice + "\n"}, "next": {"/machines?q=a"}}, "Sec-Fetch-Site", "same-origin")
	if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/machines?q=a" {
		t.Fatalf("answers %s to %q: %s", got.Status, got.Header.Get("Location"), got.body)
	}
	if want := "__Host-sickbay-token=" + alice + "; Path=/; Max-Age=43200; HttpOnly; Secure; SameSite=Strict"; got.Header.Get("Set-Cookie") != want {
		t.Errorf("sets %s\nwant %s", got.Header.Get("Set-Cookie"), want)
	}
	got = asks(t, d.site, http.MethodPost, logoutPath, url.Values{}, "Cookie", tokenCookie+"="+alice)
	if want := "__Host-sickbay-token=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict"; got.Header.Get("Set-Cookie") != want || got.Header.Get("Location") != loginPath {
		t.Errorf("sets %s, leads to %s", got.Header.Get("Set-Cookie"), got.Header.Get("Location"))
	}
	for name, tt := range map[string]struct {
		token  string
		status int
		want   string
	}{
		"none":      {"", http.StatusBadRequest, "The form has no token."},
		"no token":  {`"; <b>`, http.StatusBadRequest, "This is not a bearer token: it has invalid characters."},
		"two lines": {"a\r\nSet-Cookie: b", http.StatusBadRequest, "This is not a bearer token: it has invalid characters."},
		"too long":  {strings.Repeat("a", 5000), http.StatusBadRequest, "This token is too long for a cookie. Use a ServiceAccount"},
		"forged":    {"forged", http.StatusUnauthorized, "The API server does not know this token, or it has expired."},
		"no rights": {bob, http.StatusForbidden, "may not list clusters.cluster.x-k8s.io in the namespace"},
	} {
		t.Run(name, func(t *testing.T) {
			got := asks(t, d.site, http.MethodPost, loginPath, url.Values{"token": {tt.token}})
			if got.StatusCode != tt.status || !strings.Contains(got.body, tt.want) || got.Header.Get("Set-Cookie") != "" {
				t.Errorf("answers %s, sets %q: %s", got.Status, got.Header.Get("Set-Cookie"), got.body)
			}
			if tt.token != "" && strings.Contains(got.body, tt.token) {
				t.Error("the page repeats the token")
			}
		})
	}
}

// TestLoginLeadsNowhereElse: after signing in, a person stays on this site.
func TestLoginLeadsNowhereElse(t *testing.T) {
	for next, want := range map[string]string{
		"/": "/", "/machines?q=a&page=2": "/machines?q=a&page=2", "/machines/a/b": "/machines/a/b", "": "/", "machines": "/",
		"https://evil.example/": "/", "//evil.example/": "/", `/\evil.example`: "/", `\\evil.example`: "/", "/\t/evil.example": "/",
		"javascript:alert(1)": "/", "/login": "/", "/login?next=/login": "/", "/logout": "/", "/%": "/",
	} {
		if got := localPath(next); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
}

// TestOtherSitesChangeNothing: forms from other sites are refused, with or without the cookie.
func TestOtherSitesChangeNothing(t *testing.T) {
	d := newDoor(t, clock.RealClock{})
	alice := d.account("alice", sees()...)
	for _, path := range []string{loginPath, logoutPath, "/act/approve"} {
		for name, headers := range map[string][]string{
			"said by the browser": {"Sec-Fetch-Site", "cross-site"}, "another port": {"Sec-Fetch-Site", "same-site"}, "an old browser": {"Origin", "https://evil.example"},
			"a sandbox": {"Origin", "null"},
		} {
			got := asks(t, d.site, http.MethodPost, path, url.Values{"token": {alice}}, append(headers, "Cookie", tokenCookie+"="+alice)...)
			if got.StatusCode != http.StatusForbidden || got.Header.Get("Set-Cookie") != "" || got.body != "This request comes from another site, so nothing was done.\n" {
				t.Errorf("%s, %s: %s: %s", path, name, got.Status, got.body)
			}
		}
	}
}

// TestGuardWithoutTheAPIServer: nobody is admitted, and no answer says that the token is wrong.
func TestGuardWithoutTheAPIServer(t *testing.T) {
	d := newDoor(t, clock.RealClock{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := d.guard.review.of(ctx, "any")
	if status, sentence := tells(err); status != http.StatusServiceUnavailable || sentence != "The API server did not answer who you are. Try again." {
		t.Errorf("%d: %s", status, sentence)
	}
}

// TestRightsEnd: within two minutes after a person loses the rights, pages are refused and live updates end.
func TestRightsEnd(t *testing.T) {
	at := testingclock.NewFakeClock(time.Now())
	d := newDoor(t, at)
	token := "Bearer " + d.account("alice", sees()...)
	response := sends(t, d.site, http.MethodGet, eventsPath, nil, "Authorization", token)
	lines := bufio.NewReader(response.Body)
	if line, err := lines.ReadString('\n'); err != nil || line != "first\n" {
		t.Fatalf("%s: %q, %v", response.Status, line, err)
	}
	if err := env.Get(t).Client.DeleteAllOf(t.Context(), &rbacv1.RoleBinding{}, client.InNamespace(d.ns)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := lines.ReadString('\n')
		ended <- err
	}()
	for {
		at.Step(reviewTTL + time.Second)
		select {
		case err := <-ended:
			if err == nil {
				t.Error("the stream has more to say")
			}
			if got := asks(t, d.site, http.MethodGet, "/", nil, "Authorization", token); got.StatusCode != http.StatusForbidden {
				t.Errorf("a page answers %s", got.Status)
			}
			return
		case <-t.Context().Done():
			t.Fatal("the stream goes on")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestSignedIn: only people who signed in with the form get the button to sign out.
func TestSignedIn(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "https://sickbay.example/", nil)
	if signedIn(r) {
		t.Error("nobody has")
	}
	r.AddCookie(&http.Cookie{Name: tokenCookie, Value: "x"})
	if !signedIn(r) {
		t.Error("somebody has")
	}
	r.Header.Set("Authorization", "Bearer y")
	if signedIn(r) {
		t.Error("a proxy has")
	}
}

// TestLocal: a local server answers only to local hostnames, and acts only for people who have the key.
func TestLocal(t *testing.T) {
	open, locked := Local(seer, ""), Local(seer, "sesame")
	ask := func(handler http.Handler, method, target, host string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, target, nil)
		r.Host = host
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	for host, want := range map[string]int{
		"127.0.0.1:8080": http.StatusOK, "localhost:8080": http.StatusOK, "LOCALHOST": http.StatusOK, "[::1]:8080": http.StatusOK, "127.0.0.2": http.StatusOK,
		"evil.example": http.StatusMisdirectedRequest, "evil.example:8080": http.StatusMisdirectedRequest, "": http.StatusMisdirectedRequest,
		"localhost.evil.example": http.StatusMisdirectedRequest, "10.0.0.1:8080": http.StatusMisdirectedRequest,
	} {
		if got := ask(open, http.MethodGet, "/", host); got.Code != want {
			t.Errorf("as %q it answers %d, want %d", host, got.Code, want)
		}
	}
	if got := ask(locked, http.MethodGet, "/machines", "127.0.0.1"); got.Code != http.StatusUnauthorized {
		t.Errorf("without the key: %d", got.Code)
	}
	if got := ask(locked, http.MethodGet, "/machines?key=forged", "127.0.0.1", "Cookie", "sickbay-key-=forged"); got.Code != http.StatusUnauthorized {
		t.Errorf("with another key: %d", got.Code)
	}
	got := ask(locked, http.MethodGet, "/machines?key=sesame&q=a", "127.0.0.1:8080")
	if want := "sickbay-key-8080=sesame; Path=/; HttpOnly; SameSite=Lax"; got.Code != http.StatusSeeOther || got.Header().Get("Location") != "/machines?q=a" || got.Header().Get("Set-Cookie") != want {
		t.Errorf("with the key: %d, %v", got.Code, got.Header())
	}
	if got := ask(locked, http.MethodGet, "/machines?q=a", "127.0.0.1:8080", "Cookie", "sickbay-key-8080=sesame"); got.Code != http.StatusOK {
		t.Errorf("with the cookie: %d", got.Code)
	}
	if got := ask(locked, http.MethodGet, "/machines?q=a", "127.0.0.1:9090", "Cookie", "sickbay-key-8080=sesame"); got.Code != http.StatusUnauthorized {
		t.Errorf("with the cookie of another port: %d", got.Code)
	}
	if got := ask(open, http.MethodPost, "/act/approve", "127.0.0.1", "Sec-Fetch-Site", "cross-site"); got.Code != http.StatusForbidden {
		t.Errorf("of another site: %d", got.Code)
	}
}
