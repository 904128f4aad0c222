package app

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/dashboard"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// freeAddress returns an unused address of this host.
func freeAddress(t *testing.T, host string) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return net.JoinHostPort(host, port)
}

// tokenOf returns a token of a new ServiceAccount with rules that hold in a namespace, or everywhere.
func tokenOf(t *testing.T, namespace, name, where string, rules ...rbacv1.PolicyRule) string {
	t.Helper()
	e, account, request := env.Get(t), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}, &authenticationv1.TokenRequest{}
	build.Create(t.Context(), t, e.Client, account)
	e.Permit(t, where, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}, rules...)
	if err := e.Client.SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// paths is a rule that allows a client to get paths.
func paths(all ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{NonResourceURLs: all, Verbs: []string{"get"}}
}

// ask requests a page of the manager, whose certificate is self-signed.
func ask(t *testing.T, method, url, token string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	response, err := c.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// TestStrangers: what the manager serves needs permission, except the probes, which reveal nothing.
func TestStrangers(t *testing.T) {
	g, o := NewWithT(t), withDashboard(t)
	o.MetricsBindAddress, o.PprofBindAddress = freeAddress(t, "127.0.0.1"), freeAddress(t, "0.0.0.0")
	o.HealthProbeBindAddress, o.DashboardBindAddress = freeAddress(t, "127.0.0.1"), "0"
	run(t, o)
	profiles := "https://127.0.0.1" + o.PprofBindAddress[strings.LastIndexByte(o.PprofBindAddress, ':'):]
	ns := o.Namespace
	stranger, scraper, developer := tokenOf(t, ns, "stranger", ""), tokenOf(t, ns, "scraper", "", paths("/metrics")), tokenOf(t, ns, "developer", "", paths("/debug/pprof/*"))
	g.Eventually(func() int {
		status, _ := ask(t, http.MethodGet, "http://"+o.HealthProbeBindAddress+"/healthz", "")
		return status
	}, time.Minute).Should(Equal(http.StatusOK))
	metrics := "https://" + o.MetricsBindAddress + "/metrics"
	for _, url := range []string{metrics, profiles + "/debug/pprof/"} {
		g.Eventually(func() int {
			status, _ := ask(t, http.MethodGet, url, "")
			return status
		}, time.Minute).ShouldNot(BeZero())
	}
	for _, tt := range []struct {
		who, token, url string
		want            int
	}{
		{"nobody", "", metrics, http.StatusUnauthorized},
		// The API server answers with an error, and the filter treats that as a failure.
		{"somebody with a wrong token", "eyJhbGciOiJub25lIn0.e30.", metrics, http.StatusInternalServerError},
		{"a stranger", stranger, metrics, http.StatusForbidden},
		{"a developer", developer, metrics, http.StatusForbidden},
		{"a scraper", scraper, metrics, http.StatusOK},
		{"a developer at the address of metrics", developer, "https://" + o.MetricsBindAddress + "/debug/pprof/", http.StatusNotFound},
		{"nobody", "", profiles + "/debug/pprof/", http.StatusUnauthorized},
		{"nobody", "", profiles + "/debug/pprof/cmdline", http.StatusUnauthorized},
		{"nobody", "", profiles + "/debug/pprof/heap", http.StatusUnauthorized},
		{"a stranger", stranger, profiles + "/debug/pprof/profile?seconds=1", http.StatusForbidden},
		{"a stranger", stranger, profiles + "/debug/pprof/goroutine?debug=2", http.StatusForbidden},
		{"a scraper", scraper, profiles + "/debug/pprof/heap", http.StatusForbidden},
		{"a developer", developer, profiles + "/debug/pprof/", http.StatusOK},
		{"a developer", developer, profiles + "/debug/pprof/heap", http.StatusOK},
		{"a developer", developer, profiles + "/debug/pprof/trace?seconds=0.01", http.StatusOK},
		{"a developer", developer, profiles + "/debug/pprof/symbol", http.StatusOK},
	} {
		if status, body := ask(t, http.MethodGet, tt.url, tt.token); status != tt.want || status >= http.StatusBadRequest && len(body) > 100 {
			t.Errorf("%s is answered %d by %s, want %d: %s", tt.who, status, tt.url, tt.want, body)
		}
	}
	for path, want := range map[string]string{
		"/healthz": "ok", "/healthz?verbose": "[+]ping ok\nhealthz check passed\n", "/readyz?verbose": "[+]caches ok\nhealthz check passed\n",
		"/metrics": "404 page not found\n", "/debug/pprof/": "404 page not found\n",
	} {
		g.Eventually(func() string {
			_, body := ask(t, http.MethodGet, "http://"+o.HealthProbeBindAddress+path, "")
			return body
		}, time.Minute).Should(Equal(want), path)
	}
	for _, address := range []string{o.MetricsBindAddress, strings.TrimPrefix(profiles, "https://")} {
		speaksTLS(t, address)
	}
}

// speaksTLS checks that a server accepts neither old TLS versions nor HTTP/2.
func speaksTLS(t *testing.T, address string) {
	t.Helper()
	config := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	if c, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", address); err == nil {
		_ = c.Close()
		t.Errorf("%s speaks TLS 1.1", address)
	}
	config = &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}}
	c, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if got := c.(*tls.Conn).ConnectionState().NegotiatedProtocol; got != "http/1.1" {
		t.Errorf("%s speaks %s", address, got)
	}
}

// TestProfilesOnLoopback: requests from the host or the pod itself need no token, since go tool pprof sends none.
func TestProfilesOnLoopback(t *testing.T) {
	o := withDashboard(t)
	o.DashboardBindAddress, o.PprofBindAddress = "0", freeAddress(t, "127.0.0.1")
	run(t, o)
	NewWithT(t).Eventually(func() int {
		status, _ := ask(t, http.MethodGet, "http://"+o.PprofBindAddress+"/debug/pprof/", "")
		return status
	}, time.Minute).Should(Equal(http.StatusOK))
}

func TestIsLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:6060": true, "localhost:6060": true, "[::1]:6060": true, "127.9.9.9:1": true,
		":6060": false, "0.0.0.0:6060": false, "[::]:6060": false, "10.0.0.1:6060": false, "localhost.example.com:1": false, "0": false,
	} {
		if dashboard.IsLoopback(address) != want {
			t.Errorf("%s is loopback: %t, want %t", address, !want, want)
		}
	}
}
