package health_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	databasev1 "github.com/sickbay-dev/sickbay/examples/database/api/v1"
	"github.com/sickbay-dev/sickbay/examples/database/health"
)

// TestServer runs the controller against a real API server, as main does. It needs KUBEBUILDER_ASSETS.
func TestServer(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs the API server, which -short leaves out")
	}
	g := NewWithT(t)
	server := &envtest.Environment{CRDDirectoryPaths: []string{"../config/crd"}, ErrorIfCRDPathMissing: true}
	config, err := server.Start()
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(server.Stop()).To(Succeed()) })
	user, err := server.AddUser(envtest.User{Name: "backup", Groups: []string{"system:masters"}}, nil)
	g.Expect(err).NotTo(HaveOccurred())
	kubeconfig, err := user.KubeConfig()
	g.Expect(err).NotTo(HaveOccurred())

	kinds := runtime.NewScheme()
	g.Expect(scheme.AddToScheme(kinds)).To(Succeed())
	g.Expect(databasev1.AddToScheme(kinds)).To(Succeed())
	mgr, err := ctrl.NewManager(config, health.Options(kinds))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(health.SetupWithManager(mgr)).To(Succeed())
	go func() { g.Expect(mgr.Start(t.Context())).To(Succeed()) }()

	c, err := client.New(config, client.Options{Scheme: kinds})
	g.Expect(err).NotTo(HaveOccurred())
	database := onServer(t, c, kubeconfig)
	ready := func() *metav1.Condition {
		g.Expect(c.Get(t.Context(), client.ObjectKeyFromObject(database), database)).To(Succeed())
		return meta.FindStatusCondition(database.Status.Conditions, "Ready")
	}
	g.Eventually(ready, 30*time.Second).Should(HaveField("Status", metav1.ConditionTrue))
	g.Expect(database.Status.Conditions).To(HaveLen(5))

	// A change of the watched StatefulSet is reported at once. One this young is still starting, which is no alarm yet.
	broken := replicas(0)
	g.Expect(c.Get(t.Context(), client.ObjectKeyFromObject(broken), broken)).To(Succeed())
	broken.Status.ReadyReplicas = 0
	g.Expect(c.Status().Update(t.Context(), broken)).To(Succeed())
	g.Eventually(ready, 30*time.Second).Should(And(HaveField("Status", metav1.ConditionUnknown), HaveField("Message", HavePrefix("Available: "))))
}

// onServer creates a healthy Database and everything that belongs to it.
func onServer(t *testing.T, c client.Client, kubeconfig []byte) *databasev1.Database {
	t.Helper()
	g := NewWithT(t)
	url, _ := answers(t)
	database, set, copies := books(url), replicas(1), backup(1)
	labels := map[string]string{"app": "books"}
	pods := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "books", Image: "books"}}},
	}
	set.Spec.Selector, set.Spec.Template = &metav1.LabelSelector{MatchLabels: labels}, pods
	copies.Spec = appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: pods}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "books-backup-cluster"}, Data: map[string][]byte{"kubeconfig": kubeconfig},
	}
	g.Expect(c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}})).To(Succeed())
	g.Expect(c.Create(t.Context(), certificate(t, time.Now().AddDate(1, 0, 0)))).To(Succeed())
	g.Expect(c.Create(t.Context(), secret)).To(Succeed())
	status, setStatus, copiesStatus := database.Status, set.Status, copies.Status
	g.Expect(c.Create(t.Context(), database)).To(Succeed())
	g.Expect(controllerutil.SetControllerReference(database, set, c.Scheme())).To(Succeed())
	for _, object := range []client.Object{set, copies} {
		g.Expect(c.Create(t.Context(), object)).To(Succeed())
	}
	database.Status, set.Status, copies.Status = status, setStatus, copiesStatus
	for _, object := range []client.Object{database, set, copies} {
		g.Expect(c.Status().Update(t.Context(), object)).To(Succeed())
	}
	return database
}
