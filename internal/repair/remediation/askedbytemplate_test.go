package remediation

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// records returns how many records there are.
func (f *harness) recordsMade() int {
	f.t.Helper()
	return len(f.objects(v1alpha1.GroupVersion.WithKind("MachineRemediation")))
}

// TestTemplatesAskForNothing: an annotation that the template of a Machine's owner carries is on all its machines, and comes back whenever it is
// removed. So it is refused, whichever annotation it is, and whoever the owner.
func TestTemplatesAskForNothing(t *testing.T) {
	t.Parallel()
	rows(t, map[string]struct {
		key   string
		owner func(f *harness, key string) metav1.OwnerReference
	}{
		"reboot.metal3.io of a MachineSet":          {cycleAnnotation, ownedByTemplatedSet},
		"reboot.metal3.io/PowerOff of a MachineSet": {powerOff, ownedByTemplatedSet},
		"reboot.metal3.io of a KubeadmControlPlane": {cycleAnnotation, func(f *harness, key string) metav1.OwnerReference {
			u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"replicas": int64(3), "machineTemplate": map[string]any{
				"metadata": map[string]any{"annotations": map[string]any{key: ""}},
			}}}}
			u.SetGroupVersionKind(controlPlaneKind)
			u.SetNamespace(f.ns)
			u.SetName("cp")
			build.Create(f.t.Context(), f.t, f.env.Client, u)
			return *metav1.NewControllerRef(u, controlPlaneKind)
		}},
	}, func(t *testing.T, tt struct {
		key   string
		owner func(f *harness, key string) metav1.OwnerReference
	}) {
		t.Helper()
		f := newHarness(t)
		a := f.sick("a", build.Annotation(tt.key, ""))
		owner := tt.owner(f, tt.key)
		change(f, a, func(m *clusterv1.Machine) { m.OwnerReferences = []metav1.OwnerReference{owner} })
		f.takesIn(a)
		if n := f.recordsMade(); n > 0 {
			t.Errorf("%d record is made of what the template of %s %s says about all its machines", n, owner.Kind, owner.Name)
		}
	})
}

func ownedByTemplatedSet(f *harness, key string) metav1.OwnerReference {
	f.t.Helper()
	change(f, f.set, func(s *clusterv1.MachineSet) { s.Spec.Template.Annotations = map[string]string{key: ""} })
	return *metav1.NewControllerRef(f.set, clusterv1.GroupVersion.WithKind("MachineSet"))
}
