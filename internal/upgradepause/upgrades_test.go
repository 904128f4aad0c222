package upgradepause

import (
	"context"
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// fleet is a Cluster on the API server, with a control plane and workers whose versions are written as
// Cluster API's controllers write them.
type fleet struct {
	env     *env.Env
	cluster *clusterv1.Cluster
	plane   *controlplanev1.KubeadmControlPlane
	workers *clusterv1.MachineDeployment
}

// newFleet stores a Cluster whose parts all have one version.
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
	objects.Change(t, f.env.Client, f.plane, func(p *controlplanev1.KubeadmControlPlane) { p.Spec.Version = version })
}

// planeHas sets the versions of its machines and their kubelets.
func (f *fleet) planeHas(t testing.TB, versions ...string) {
	t.Helper()
	objects.ChangeStatus(t, f.env.Client, f.plane, func(p *controlplanev1.KubeadmControlPlane) { p.Status.Versions = statusVersions(versions) })
	f.machines(t, "plane", clusterv1.MachineControlPlaneLabel, "", versions)
}

// machines creates the wanted machines, and then removes the others.
func (f *fleet) machines(t testing.TB, rollout, label, value string, versions []string) {
	t.Helper()
	prefix, wanted := f.cluster.Name+"-"+rollout+"-", map[string]bool{}
	for _, version := range versions {
		machine := build.Machine(f.cluster.Namespace, prefix+version, build.InCluster(f.cluster.Name))
		build.Label(label, value)(machine)
		machine.Spec.Version, wanted[machine.Name] = version, true
		if err := f.env.Client.Create(t.Context(), machine); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
	stored := objects.List(t, f.env.Client, &clusterv1.MachineList{}, f.cluster.Namespace)
	for i := range stored.Items {
		if machine := &stored.Items[i]; strings.HasPrefix(machine.Name, prefix) && !wanted[machine.Name] {
			objects.Delete(t, f.env.Client, machine)
		}
	}
}

// workersWant begins to roll out a version to the workers.
func (f *fleet) workersWant(t testing.TB, version string) {
	t.Helper()
	objects.Change(t, f.env.Client, f.workers, func(d *clusterv1.MachineDeployment) { d.Spec.Template.Spec.Version = version })
}

// workersHave sets the versions of their machines and kubelets.
func (f *fleet) workersHave(t testing.TB, versions ...string) {
	t.Helper()
	f.kubeletsHave(t, versions...)
	f.machines(t, "workers", clusterv1.MachineDeploymentNameLabel, f.workers.Name, versions)
}

// kubeletsHave sets the versions of the workers' kubelets.
func (f *fleet) kubeletsHave(t testing.TB, versions ...string) {
	t.Helper()
	objects.ChangeStatus(t, f.env.Client, f.workers, func(d *clusterv1.MachineDeployment) {
		d.Status.Versions, d.Status.Replicas = statusVersions(versions), new(int32(3))
	})
}

// option sets whether the Cluster wants pauses; empty removes the annotation.
func (f *fleet) option(t testing.TB, value string) {
	t.Helper()
	if value == "" {
		objects.Unannotate(t, f.env.Client, f.cluster, pause.OptionAnnotation)
		return
	}
	objects.Annotate(t, f.env.Client, f.cluster, pause.OptionAnnotation, value)
}

func statusVersions(versions []string) []clusterv1.StatusVersion {
	var list []clusterv1.StatusVersion
	for _, version := range versions {
		list = append(list, clusterv1.StatusVersion{Version: version, Replicas: 1})
	}
	return list
}

// operator writes the ClusterVersion on the API server. There is only one, so tests that use it do not run in
// parallel.
type operator struct {
	env     *env.Env
	version *configv1.ClusterVersion
}

// newOpenshift stores a ClusterVersion that does not upgrade, and removes it when the test ends.
func newOpenshift(t testing.TB, e *env.Env) *operator {
	t.Helper()
	o := &operator{env: e, version: &configv1.ClusterVersion{
		ObjectMeta: metav1.ObjectMeta{Name: clusterVersionName},
		Spec:       configv1.ClusterVersionSpec{ClusterID: "7e8b6a1c-0000-4000-8000-000000000000"},
	}}
	if err := e.Client.Create(t.Context(), o.version); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(e.Client.Delete(context.Background(), o.version)); err != nil {
			t.Error(err)
		}
		// Events on cluster-scoped objects are in the default namespace.
		if err := e.Client.DeleteAllOf(context.Background(), &eventsv1.Event{}, client.InNamespace(metav1.NamespaceDefault)); err != nil {
			t.Error(err)
		}
	})
	o.write(t, configv1.ConditionFalse, update("4.16.1", configv1.CompletedUpdate, time.Now().Add(-time.Hour)))
	return o
}

// update is an entry of the history.
func update(version string, state configv1.UpdateState, started time.Time) configv1.UpdateHistory {
	entry := configv1.UpdateHistory{
		Version: version, Image: "release:" + version, State: state, StartedTime: metav1.NewTime(started),
	}
	if state == configv1.CompletedUpdate {
		entry.CompletionTime = new(metav1.NewTime(started.Add(time.Minute)))
	}
	return entry
}

// begin starts an upgrade, as the operator reports it.
func (o *operator) begin(t testing.TB, to string, at time.Time) {
	t.Helper()
	o.write(t, configv1.ConditionTrue, append([]configv1.UpdateHistory{update(to, configv1.PartialUpdate, at)}, o.version.Status.History...)...)
}

// end completes the last upgrade.
func (o *operator) end(t testing.TB) {
	t.Helper()
	history := o.version.Status.History
	history[0].State, history[0].CompletionTime = configv1.CompletedUpdate, new(metav1.NewTime(history[0].StartedTime.Add(time.Minute)))
	o.write(t, configv1.ConditionFalse, history...)
}

// write stores the operator's report.
func (o *operator) write(t testing.TB, progressing configv1.ConditionStatus, history ...configv1.UpdateHistory) {
	t.Helper()
	since := metav1.NewTime(time.Now())
	if len(history) > 0 {
		since = history[0].StartedTime
	}
	status := configv1.ClusterVersionStatus{
		Desired: configv1.Release{Version: "4.16.1", Image: "release"}, VersionHash: "hash", History: history,
		Conditions: []configv1.ClusterOperatorStatusCondition{
			{Type: configv1.OperatorAvailable, Status: configv1.ConditionTrue, LastTransitionTime: since},
			{Type: configv1.OperatorProgressing, Status: progressing, LastTransitionTime: since},
		},
	}
	o.version.Status = status
	if err := o.env.Client.Status().Update(t.Context(), o.version); err != nil {
		t.Fatal(err)
	}
}
