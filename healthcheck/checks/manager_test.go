package checks_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

func TestMain(m *testing.M) { env.Main(m, env.WithScheme(addSite), env.WithCRDs(siteCRD())) }

// patience is far longer than an event takes, and no timer is set that could be the cause.
const patience = 30 * time.Second

// TestManager: the condition of a Site follows its Deployment, which comes from a cache and so has no
// TypeMeta.
func TestManager(t *testing.T) {
	g, e := NewWithT(t), env.Get(t)
	site := &Site{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace(t), Name: "s"}}
	g.Expect(e.Client.Create(t.Context(), site)).To(Succeed())
	apiServer := func(s *Site) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name + "-apiserver"}}
	}
	rule := checks.Rule[*appsv1.Deployment](checks.DeploymentRolledOut)
	e.Manager(t, env.ManagerOptions{Namespaces: []string{site.Namespace}, Setup: func(mgr ctrl.Manager) error {
		return (&healthcheck.Reconciler[*Site]{Registration: healthcheck.Registration[*Site]{
			Name: "hosted", New: func() *Site { return &Site{} },
			Store: healthcheck.Metav1Store[*Site]{Client: mgr.GetClient(), FieldOwner: "hosted"},
			Conditions: []healthcheck.ConditionChecks[*Site]{{Type: "Hosted", Checks: []healthcheck.NamedCheck[*Site]{
				checks.One("apiserver", checks.Source, apiServer, rule),
			}}},
			Watches: []healthcheck.Watch{{Object: &appsv1.Deployment{}, Predicates: []predicate.Predicate{checks.VerdictChanged(rule)}}},
		}}).SetupWithManager(mgr)
	}})
	hosted := func(status metav1.ConditionStatus, reason string) {
		t.Helper()
		g.Eventually(func() *metav1.Condition {
			live := &Site{}
			g.Expect(e.Client.Get(t.Context(), client.ObjectKeyFromObject(site), live)).To(Succeed())
			return meta.FindStatusCondition(live.Status.Conditions, "Hosted")
		}, patience).Should(And(Not(BeNil()), HaveField("Status", status), HaveField("Reason", reason), HaveField("Message", Or(BeEmpty(), HavePrefix("Deployment "+site.Namespace+"/s-apiserver")))))
	}
	hosted(metav1.ConditionFalse, checks.ReasonNotFound)

	d := apiServer(site)
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "apiserver"}}
	d.Spec.Template.Labels = d.Spec.Selector.MatchLabels
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "apiserver", Image: "apiserver"}}
	g.Expect(controllerutil.SetControllerReference(site, d, e.Scheme)).To(Succeed())
	g.Expect(e.Client.Create(t.Context(), d)).To(Succeed())
	hosted(metav1.ConditionUnknown, checks.ReasonNotObserved) // Progressing, as metav1 stores it

	available := func(status corev1.ConditionStatus) {
		d.Status = appsv1.DeploymentStatus{
			ObservedGeneration: d.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
			Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: status}},
		}
		g.Expect(e.Client.Status().Update(t.Context(), d)).To(Succeed())
	}
	available(corev1.ConditionTrue)
	hosted(metav1.ConditionTrue, checks.ReasonHealthy)
	available(corev1.ConditionFalse)
	hosted(metav1.ConditionFalse, "NotAvailable")
	g.Expect(e.Client.Delete(t.Context(), d)).To(Succeed())
	hosted(metav1.ConditionFalse, checks.ReasonNotFound)
}
