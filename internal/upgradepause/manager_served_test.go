package upgradepause

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// TestManagerVersionServedNoMore: during an upgrade, the API server stops serving the version of a control plane that Sickbay watches. Sickbay says that it
// cannot tell whether the upgrade goes on. Once another version is served, it reads that one, and sees that the upgrade is over.
func TestManagerVersionServedNoMore(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	kind := schema.GroupVersionKind{Group: "controlplane.sickbay.dev", Version: "v1beta1", Kind: "MovedControlPlane"}
	crd := env.AnythingGoes(kind)
	crd.Spec.Versions[0].Subresources = nil
	s.env.Install(t, env.WithCRDs(crd))
	plane := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"version": v34}, "status": map[string]any{"version": v33}}}
	plane.SetGroupVersionKind(kind)
	plane.SetNamespace(s.ns)
	plane.SetName("moved")
	s.Expect(s.env.Client.Create(t.Context(), plane)).To(Succeed())
	build.Create(t.Context(), t, s.env.Client, build.Cluster(s.ns, "blue", build.Annotation(pause.OptionAnnotation, wantsThem), build.ClusterFunc(func(c *clusterv1.Cluster) {
		c.Spec.ControlPlaneRef = clusterv1.ContractVersionedObjectReference{APIGroup: kind.Group, Kind: kind.Kind, Name: "moved"}
	})), build.MachineHealthCheck(s.ns, "blue", build.InCluster("blue")))
	s.recorder, s.period = events.NewFakeRecorder(10), time.Second
	s.run(s.env.Config)
	s.Eventually(s.of("blue")).Should(Equal(ours(toV34, noon)))
	s.Eventually(s.recorder.Events).Should(Receive(HavePrefix("Normal PausedForUpgrade")))

	newer := *crd.Spec.Versions[0].DeepCopy()
	newer.Name, newer.Served = "v1beta2", false
	crd.Spec.Versions[0].Storage, crd.Spec.Versions[0].Served = false, false
	crd.Spec.Versions = append(crd.Spec.Versions, newer)
	s.env.Install(t, env.WithCRDs(crd))
	s.Eventually(func() chan string { s.passing(s.of("blue"))(); return s.recorder.Events }).Should(Receive(HavePrefix(unreadableEvent)))
	s.Expect(s.of("blue")()).To(HaveKey(keyMarker))

	crd.Spec.Versions[1].Served = true
	s.env.Install(t, env.WithCRDs(crd))
	plane.SetGroupVersionKind(kind.GroupKind().WithVersion("v1beta2"))
	has34 := client.RawPatch(types.MergePatchType, []byte(`{"status":{"version":"`+v34+`"}}`))
	s.Eventually(func() error { return s.env.Client.Patch(t.Context(), plane, has34) }).Should(Succeed())
	s.Eventually(s.passing(s.of("blue"))).ShouldNot(HaveKey(keyMarker))
}
