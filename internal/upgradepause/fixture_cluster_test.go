package upgradepause

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// fleet is a Cluster on the API server, with a control plane and workers whose versions are written
// as Cluster API's controllers write them.
type fleet struct {
	env     *env.Env
	cluster *clusterv1.Cluster
	plane   *controlplanev1.KubeadmControlPlane
	workers *clusterv1.MachineDeployment
}

// newFleet stores a Cluster that is all at a version.
func newFleet(t testing.TB, e *env.Env, namespace, name, version string, opts ...build.ClusterOption) *fleet {
	t.Helper()
	infrastructure := clusterv1.ContractVersionedObjectReference{APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "DevMachineTemplate", Name: name}
	f := &fleet{env: e, cluster: build.Cluster(namespace, name, opts...)}
	f.plane = &controlplanev1.KubeadmControlPlane{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{clusterv1.ClusterNameLabel: name}},
		Spec: controlplanev1.KubeadmControlPlaneSpec{
			Version: version, Replicas: new(int32(3)),
			MachineTemplate: controlplanev1.KubeadmControlPlaneMachineTemplate{
				Spec: controlplanev1.KubeadmControlPlaneMachineTemplateSpec{InfrastructureRef: infrastructure},
			},
		},
	}
	selector := map[string]string{"pool": name}
	f.workers = &clusterv1.MachineDeployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{clusterv1.ClusterNameLabel: name}},
		Spec: clusterv1.MachineDeploymentSpec{
			ClusterName: name, Replicas: new(int32(3)), Selector: metav1.LabelSelector{MatchLabels: selector},
			Template: clusterv1.MachineTemplateSpec{
				ObjectMeta: clusterv1.ObjectMeta{Labels: selector},
				Spec: clusterv1.MachineSpec{
					ClusterName: name, Version: version, InfrastructureRef: infrastructure,
					Bootstrap: clusterv1.Bootstrap{DataSecretName: new("none")},
				},
			},
		},
	}
	build.Create(t.Context(), t, e.Client, f.cluster, f.plane, f.workers)
	f.planeHas(t, version)
	f.workersHave(t, version)
	return f
}

// planeWants begins to roll out a version to the control plane.
func (f *fleet) planeWants(t testing.TB, version string) {
	t.Helper()
	f.update(t, f.plane, func() { f.plane.Spec.Version = version })
}

// planeHas says which versions its machines have.
func (f *fleet) planeHas(t testing.TB, versions ...string) {
	t.Helper()
	f.updateStatus(t, f.plane, func() { f.plane.Status.Versions = statusVersions(versions) })
}

// workersWant begins to roll out a version to the workers.
func (f *fleet) workersWant(t testing.TB, version string) {
	t.Helper()
	f.update(t, f.workers, func() { f.workers.Spec.Template.Spec.Version = version })
}

// workersHave says which versions their machines have.
func (f *fleet) workersHave(t testing.TB, versions ...string) {
	t.Helper()
	f.updateStatus(t, f.workers, func() {
		f.workers.Status.Versions, f.workers.Status.Replicas = statusVersions(versions), new(int32(3))
	})
}

// option sets whether the Cluster wants pauses; empty takes the annotation away.
func (f *fleet) option(t testing.TB, value string) {
	t.Helper()
	f.update(t, f.cluster, func() {
		delete(f.cluster.Annotations, OptionAnnotation)
		if value != "" {
			build.Annotation(OptionAnnotation, value)(f.cluster)
		}
	})
}

func (f *fleet) update(t testing.TB, obj client.Object, change func()) {
	t.Helper()
	change()
	if err := f.env.Client.Update(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}

func (f *fleet) updateStatus(t testing.TB, obj client.Object, change func()) {
	t.Helper()
	change()
	if err := f.env.Client.Status().Update(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}

func statusVersions(versions []string) []clusterv1.StatusVersion {
	var list []clusterv1.StatusVersion
	for _, version := range versions {
		list = append(list, clusterv1.StatusVersion{Version: version, Replicas: 1})
	}
	return list
}
