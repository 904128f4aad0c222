package openshift_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	configv1 "github.com/openshift/api/config/v1"
	machinev1beta1 "github.com/openshift/api/machine/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// installation is an OpenShift installation, as far as Sickbay can see it.
type installation struct {
	*testing.T
	*WithT
	client client.Client
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(e2e.Patience)
	g.SetDefaultEventuallyPollingInterval(20 * time.Millisecond)
	kinds := world.NewScheme()
	g.Expect(configv1.Install(kinds)).To(Succeed())
	g.Expect(machinev1beta1.Install(kinds)).To(Succeed())
	c, err := client.New(harness.World.Config(), client.Options{Scheme: kinds})
	g.Expect(err).NotTo(HaveOccurred())
	return &installation{T: t, WithT: g, client: c}
}

func (i *installation) startSickbay() *e2e.Sickbay {
	i.Helper()
	return harness.SickbayEverywhere(i.T, "--controllers=upgradepause",
		"--upgrade-settle-timeout=0") // no controller labels the MachineHealthChecks with their Cluster here
}

// installClusterVersion adds the kind, and the object that OpenShift's operator would
// create.
func (i *installation) installClusterVersion() {
	i.Helper()
	crd, err := world.ModuleFile(openshiftAPI, clusterVersionCRD)
	i.Expect(err).NotTo(HaveOccurred())
	_, err = envtest.InstallCRDs(harness.World.Config(), envtest.CRDInstallOptions{Scheme: scheme.Scheme, Paths: []string{crd}, MaxTime: e2e.Patience})
	i.Expect(err).NotTo(HaveOccurred())
	cv := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}, Spec: configv1.ClusterVersionSpec{ClusterID: "00000000-0000-4000-8000-000000000000"}}
	i.Expect(i.client.Create(i.Context(), cv)).To(Succeed())
}

// upgrade writes that an update began, and that it is still in progress unless it is
// completed.
func (i *installation) upgrade(version string, began time.Time, state configv1.UpdateState) {
	i.Helper()
	cv := &configv1.ClusterVersion{}
	i.Expect(i.client.Get(i.Context(), client.ObjectKey{Name: "version"}, cv)).To(Succeed())
	progressing := configv1.ClusterOperatorStatusCondition{Type: configv1.OperatorProgressing, Status: configv1.ConditionTrue, LastTransitionTime: metav1.Now()}
	update := configv1.UpdateHistory{State: state, Version: version, Image: "registry.example.com/release:" + version, StartedTime: metav1.NewTime(began)}
	if state == configv1.CompletedUpdate {
		progressing.Status, update.CompletionTime = configv1.ConditionFalse, new(metav1.Now())
	}
	cv.Status.Conditions = []configv1.ClusterOperatorStatusCondition{progressing}
	cv.Status.History = []configv1.UpdateHistory{update}
	i.Expect(i.client.Status().Update(i.Context(), cv)).To(Succeed())
}

// checks creates a MachineHealthCheck of each kind.
func (i *installation) checks(name string) []client.Object {
	i.Helper()
	meta := metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name}
	selector := metav1.LabelSelector{MatchLabels: map[string]string{"pool": name}}
	checks := []client.Object{
		&clusterv1.MachineHealthCheck{ObjectMeta: meta, Spec: clusterv1.MachineHealthCheckSpec{
			ClusterName: "any", Selector: selector,
			Checks: clusterv1.MachineHealthCheckChecks{NodeStartupTimeoutSeconds: new(int32(600))},
		}},
		&machinev1beta1.MachineHealthCheck{ObjectMeta: meta, Spec: machinev1beta1.MachineHealthCheckSpec{
			Selector:            selector,
			UnhealthyConditions: []machinev1beta1.UnhealthyCondition{{Type: "Ready", Status: "Unknown", Timeout: metav1.Duration{Duration: time.Minute}}},
		}},
	}
	for _, check := range checks {
		i.Expect(i.client.Create(i.Context(), check)).To(Succeed())
	}
	return checks
}

// annotations reads the annotations of a MachineHealthCheck.
func (i *installation) annotations(check client.Object) func() (map[string]string, error) {
	return func() (map[string]string, error) {
		err := i.client.Get(i.Context(), client.ObjectKeyFromObject(check), check)
		return check.GetAnnotations(), err
	}
}

// unpause does what a person does who wants a MachineHealthCheck to work during the
// upgrade.
func (i *installation) unpause(check client.Object) {
	i.Helper()
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"`+clusterv1.PausedAnnotation+`":null}}}`))
	i.Expect(i.client.Patch(i.Context(), check, patch)).To(Succeed())
}
