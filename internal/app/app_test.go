package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestDefaultsAreValid(t *testing.T) {
	o := DefaultOptions()
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	if o.Policy.Adopt != mhcspec.AdoptAll {
		t.Errorf("adopts %q by default", o.Policy.Adopt)
	}
}

// TestOnlyKubeconfigsAreHeld: of all Secrets with a cluster's label, only kubeconfigs keep their data in memory.
func TestOnlyKubeconfigsAreHeld(t *testing.T) {
	for name, want := range map[string]map[string][]byte{
		"blue-kubeconfig": {"value": []byte("x")},
		"blue-ca":         nil,
		"blue-etcd":       nil,
	} {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{"value": []byte("x")}}
		kept, err := keepKubeconfig(secret)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, kept.(*corev1.Secret).Data); diff != "" {
			t.Errorf("data of %s (-want +got):\n%s", name, diff)
		}
	}
}

// TestNoManager: no manager is made of bad options, while the installed kinds are not known, or for a lease in a namespace that nobody knows.
func TestNoManager(t *testing.T) {
	elects := optionsOf("")
	elects.LeaderElect = true
	for name, o := range map[string]Options{"empty options": {}, "nobody answers": optionsOf(""), "a lease outside of a pod": elects} {
		if _, err := New(t.Context(), &rest.Config{Host: "https://127.0.0.1:1"}, o); err == nil {
			t.Errorf("%s: a manager was made", name)
		}
	}
}

// TestControlPlaneInitialized: a Cluster with a controlPlaneRef reports it in its status, every Cluster in a
// condition.
func TestControlPlaneInitialized(t *testing.T) {
	condition := func(status metav1.ConditionStatus) func(*clusterv1.Cluster) {
		return func(c *clusterv1.Cluster) {
			c.Status.Initialization.ControlPlaneInitialized = nil
			c.Status.Conditions = []metav1.Condition{{Type: clusterv1.ClusterControlPlaneInitializedCondition, Status: status}}
		}
	}
	tests := map[string]struct {
		cluster *clusterv1.Cluster
		change  func(*clusterv1.Cluster)
		want    bool
	}{
		"its status says so":         {build.Cluster("ns", "c"), func(c *clusterv1.Cluster) { c.Status.Conditions = nil }, true},
		"its status says no":         {build.Cluster("ns", "c", build.ControlPlaneNotInitialized()), func(c *clusterv1.Cluster) { c.Status.Conditions = nil }, false},
		"only the condition says so": {build.Cluster("ns", "c"), condition(metav1.ConditionTrue), true},
		"the condition says no":      {build.Cluster("ns", "c"), condition(metav1.ConditionFalse), false},
		"nothing is said":            {&clusterv1.Cluster{}, func(*clusterv1.Cluster) {}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.change(tt.cluster)
			if got := controlPlaneInitialized(tt.cluster); got != tt.want {
				t.Errorf("initialized is %t, want %t", got, tt.want)
			}
		})
	}
}

// TestAdmissionIsWired: without Hosts, no record knows its host, and the memory of repairs on bare metal ends with the
// Machine.
func TestAdmissionIsWired(t *testing.T) {
	api := &clusterAPI{options: DefaultOptions(), ready: &readiness{}, connections: &connections{}}
	env.Get(t).Manager(t, env.ManagerOptions{
		Namespaces: []string{env.Get(t).Namespace(t)},
		Setup:      func(mgr ctrl.Manager) error { return api.addHealth(t.Context(), mgr) },
	})
	if api.checks.Observer.Hosts == nil {
		t.Error("nobody tells machinehealthcheck the host of a machine")
	}
}

// TestMain runs the tests with an API server that has Cluster API's kinds, but none of OpenShift's.
func TestMain(m *testing.M) { env.Main(m, env.WithScheme(configv1.Install)) }
