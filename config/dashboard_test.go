package config_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
)

// token makes a ServiceAccount with a ClusterRole, and a token of it.
func token(t *testing.T, e *env.Env, namespace, name, role string) string {
	t.Helper()
	who := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	build.Create(t.Context(), t, e.Client, who, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace + "-" + name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
	})
	request := &authenticationv1.TokenRequest{}
	if err := e.Client.SubResource("token").Create(t.Context(), who, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// visit asks the dashboard for a page, or posts a form.
func visit(t *testing.T, a *app.App, path, token string, form url.Values) (status int, body string) {
	t.Helper()
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(t.Context(), method, "https://"+a.DashboardAddress()+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
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

// TestDashboardPermissions: what Sickbay may do is enough to show the dashboard and to say who leads; a person who has the ClusterRole for it sees all, and
// changes nothing that Sickbay itself may change.
func TestDashboardPermissions(t *testing.T) {
	e, g := install(t), NewWithT(t)
	namespace := e.Namespace(t)
	machine := build.Machine(namespace, "metal-3", build.InCluster("blue"))
	build.Create(t.Context(), t, e.Client, build.Cluster(namespace, "blue"), machine)
	viewer, nobody := token(t, e, namespace, "viewer", "sickbay-dashboard"), token(t, e, namespace, "nobody", "sickbay-metrics-reader")
	settled(t, e)
	a := runManager(t, e, sickbay, func(o *app.Options) { o.DashboardBindAddress, o.DashboardActions = "127.0.0.1:0", true })
	g.Eventually(func() string {
		_, body := visit(t, a, "/machines/"+namespace+"/metal-3", viewer, nil)
		return body
	}, time.Minute).Should(And(MatchRegexp("[0-9a-f]{8}-[0-9a-f-]+ leads"), ContainSubstring("metal-3"), ContainSubstring("You act as system:serviceaccount:"+namespace+":viewer")))
	if status, body := visit(t, a, "/", nobody, nil); status != http.StatusForbidden {
		t.Errorf("without the ClusterRole it answers %d: %s", status, body)
	}
	status, body := visit(t, a, "/act/hold", viewer, url.Values{"namespace": {namespace}, "object": {"machine/metal-3"}, "for": {"2h"}})
	if status != http.StatusForbidden || !strings.Contains(body, "cannot patch resource &#34;machines&#34;") || !strings.Contains(body, namespace+":viewer") {
		t.Errorf("a hold is answered %d: %s", status, body)
	}
	if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(machine), machine); err != nil {
		t.Fatal(err)
	}
	if machine.Annotations[mhcspec.HoldUntilAnnotation] != "" {
		t.Error("it is on hold")
	}
}

// dashboardAlone runs the dashboard beside the one controller that reads no machines of its own.
const dashboardAlone account = "sickbay-dashboard-alone"

// TestDashboardLivesOnItsRole: the role that the chart adds for the dashboard is enough to show it, whichever controllers run.
func TestDashboardLivesOnItsRole(t *testing.T) {
	e, g := install(t), NewWithT(t)
	namespace := e.Namespace(t)
	sickOfOldRevision(t, e, namespace, "metal-4")
	to := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: systemNamespace, Name: string(dashboardAlone)}}
	for _, name := range []string{"manager", "upgradepause", "dashboard"} {
		for _, obj := range read(t, "../charts/sickbay/files/rbac/"+name+".yaml") {
			if obj.GetName() != name {
				continue // for OpenShift
			}
			obj.SetName("test-alone-" + name)
			apply(t, e, obj)
			meta := metav1.ObjectMeta{Name: obj.GetName(), Namespace: obj.GetNamespace()}
			ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: obj.GetKind(), Name: obj.GetName()}
			if meta.Namespace != "" {
				build.Create(t.Context(), t, e.Client, &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: to})
				continue
			}
			build.Create(t.Context(), t, e.Client, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: to})
		}
	}
	viewer := token(t, e, namespace, "viewer", "sickbay-dashboard")
	settled(t, e)
	a := runManager(t, e, dashboardAlone, func(o *app.Options) {
		o.Controllers, o.Namespace, o.DashboardBindAddress = []string{upgradepause.ControllerName}, namespace, "127.0.0.1:0"
	})
	g.Eventually(func() string {
		_, body := visit(t, a, "/machines/"+namespace+"/metal-4", viewer, nil)
		return body
	}, time.Minute).Should(And(ContainSubstring("metal-4"), ContainSubstring("has the strategy OnDelete")))
	for _, on := range []resource{{controlPlane, "kubeadmcontrolplanes", "", "any"}, {capi, "machinepools", "", "any"}} {
		if !may(t, e, dashboardAlone, "get", on) {
			t.Errorf("it cannot read %s", on.resource)
		}
	}
	g.Eventually(a.Ready, time.Minute).WithContext(t.Context()).Should(Succeed(), "all that it shows can be read")
}

// sickOfOldRevision stores a sick Machine whose MachineSet is of an older revision, and whose MachineDeployment waits for a person to delete it.
func sickOfOldRevision(t *testing.T, e *env.Env, namespace, name string) {
	t.Helper()
	set := build.MachineSet(namespace, "old", build.InCluster("blue"))
	set.Labels = map[string]string{clusterv1.MachineDeploymentNameLabel: "workers"}
	d := &clusterv1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "workers", Annotations: map[string]string{clusterv1.RevisionAnnotation: "2"}}}
	d.Spec.ClusterName, d.Spec.Replicas, d.Spec.Template, d.Spec.Selector = "blue", new(int32(1)), set.Spec.Template, set.Spec.Selector
	d.Spec.Rollout.Strategy.Type = clusterv1.OnDeleteMachineDeploymentStrategyType
	build.Create(t.Context(), t, e.Client, build.Cluster(namespace, "blue"), d, set)
	build.Create(t.Context(), t, e.Client,
		build.MachineHealthCheck(namespace, "workers", build.InCluster("blue"), build.Selector(map[string]string{clusterv1.ClusterNameLabel: "blue"})),
		build.Machine(namespace, name, build.InCluster("blue"), build.OwnedBy(set), build.Verdict(metav1.ConditionFalse, time.Now().Add(-time.Hour))),
	)
}
