package app

import (
	"net/http"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/dashboard"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// withDashboard returns options for a manager with only a dashboard for one namespace, and a controller with nothing to do there.
func withDashboard(t *testing.T) Options {
	t.Helper()
	o := optionsOf(env.Get(t).Namespace(t), "upgradepause")
	o.DashboardBindAddress = "127.0.0.1:0"
	return o
}

// viewer returns a token of a user who may see the dashboard of a namespace.
func viewer(t *testing.T, namespace string) string {
	t.Helper()
	var rules []rbacv1.PolicyRule
	for _, kind := range dashboard.Shown() {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{kind.Group}, Resources: []string{kind.Resource}, Verbs: []string{"list"}})
	}
	return tokenOf(t, namespace, "viewer", namespace, rules...)
}

// page requests a page of a dashboard.
func page(t *testing.T, a *running, method, path, token string) (status int, body string) {
	t.Helper()
	return ask(t, method, "https://"+a.DashboardAddress()+path, token)
}

// TestDashboard: the manager shows its fleet to users who may read it, and acts for nobody unless that is enabled.
func TestDashboard(t *testing.T) {
	g, o := NewWithT(t), withDashboard(t)
	build.Create(t.Context(), t, env.Get(t).Client, build.Cluster(o.Namespace, "blue"), build.Machine(o.Namespace, "metal-3", build.InCluster("blue")),
		build.MachineHealthCheck(o.Namespace, "workers", build.InCluster("blue"), build.Selector(map[string]string{clusterv1.ClusterNameLabel: "blue"})))
	a, token := run(t, o), viewer(t, o.Namespace)
	g.Eventually(func() string {
		status, body := page(t, a, http.MethodGet, "/machines", token)
		if status != http.StatusOK {
			return http.StatusText(status)
		}
		return body
	}, time.Minute).Should(And(ContainSubstring("metal-3"), ContainSubstring(o.Namespace+":viewer")))
	if status, body := page(t, a, http.MethodGet, "/", token); status != http.StatusOK || !strings.Contains(body, " leads") {
		t.Errorf("a manager that needs no lease does not lead: %d: %s", status, body)
	}
	if status, body := page(t, a, http.MethodGet, "/machines", ""); status != http.StatusUnauthorized || strings.Contains(body, "metal-3") {
		t.Errorf("without a token it answers %d: %s", status, body)
	}
	if status, body := page(t, a, http.MethodPost, "/act/hold", token); status != http.StatusMethodNotAllowed && status != http.StatusNotFound {
		t.Errorf("without --dashboard-actions it answers %d: %s", status, body)
	}
	if status, body := page(t, a, http.MethodGet, "/assets/app.css", ""); status != http.StatusOK {
		t.Errorf("the sign-in form has no style: %d: %s", status, body)
	}
	o.DashboardActions = true
	if status, body := page(t, run(t, o), http.MethodPost, "/act/hold", token); status != http.StatusBadRequest || !strings.Contains(body, "Nothing was written") {
		t.Errorf("with --dashboard-actions it answers %d: %s", status, body)
	}
}

// TestDashboardBeforeTheKinds: before the kinds are installed, the page says so.
func TestDashboardBeforeTheKinds(t *testing.T) {
	_, err := (&shownFleet{}).Look(t.Context(), "")
	if want := "the kinds of Cluster API are not installed in this cluster yet"; err == nil || err.Error() != want {
		t.Errorf("says %v", err)
	}
}

// TestNoDashboard: it is off by default.
func TestNoDashboard(t *testing.T) {
	o := withDashboard(t)
	o.DashboardBindAddress = DefaultOptions().DashboardBindAddress
	a, err := New(t.Context(), env.Get(t).Config, o)
	if err != nil {
		t.Fatal(err)
	}
	if address := a.DashboardAddress(); address != "" {
		t.Errorf("it is served on %s", address)
	}
}
