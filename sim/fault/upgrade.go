package fault

import (
	"context"
	"fmt"

	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// versionBefore is the annotation with an object's version before the upgrade.
const versionBefore = annotationPrefix + "version-before"

// Upgrade gives a MachineDeployment another version of Kubernetes. That breaks nothing, but Cluster API replaces all
// its machines.
//
// It replaces them one by one, in about a second each. It creates no worker whose minor version differs from the
// control plane's. Heal restores the earlier version, which replaces all machines again.
type Upgrade struct {
	Cluster client.ObjectKey
	// MachineDeployment is the name of the MachineDeployment. Empty: the control plane.
	MachineDeployment string
	// Version is the Kubernetes version, such as v1.36.4.
	Version string
}

// String implements Fault.
func (f Upgrade) String() string {
	if f.MachineDeployment == "" {
		return fmt.Sprintf("control plane of cluster %s is to have Kubernetes %s", f.Cluster, f.Version)
	}
	return fmt.Sprintf("%s of cluster %s is to have Kubernetes %s", f.MachineDeployment, f.Cluster, f.Version)
}

// Inject implements Fault.
func (f Upgrade) Inject(ctx context.Context, w *world.World) error {
	return f.changeVersion(ctx, w, func(object client.Object, version *string) {
		if _, upgraded := object.GetAnnotations()[versionBefore]; !upgraded {
			annotate(object, versionBefore, *version)
		}
		*version = f.Version
	})
}

// Heal implements Fault.
func (f Upgrade) Heal(ctx context.Context, w *world.World) error {
	return ignoreNotFound(f.changeVersion(ctx, w, func(object client.Object, version *string) {
		before, upgraded := object.GetAnnotations()[versionBefore]
		if !upgraded {
			return
		}
		*version = before
		unannotate(object, versionBefore)
	}))
}

func (f Upgrade) changeVersion(ctx context.Context, w *world.World, edit func(object client.Object, version *string)) error {
	if f.MachineDeployment == "" {
		key := client.ObjectKey{Namespace: f.Cluster.Namespace, Name: world.ControlPlaneName(f.Cluster.Name)}
		return change(ctx, w, key, &controlplanev1.KubeadmControlPlane{}, func(controlPlane *controlplanev1.KubeadmControlPlane) {
			edit(controlPlane, &controlPlane.Spec.Version)
		})
	}
	key := client.ObjectKey{Namespace: f.Cluster.Namespace, Name: f.MachineDeployment}
	return change(ctx, w, key, &clusterv1.MachineDeployment{}, func(deployment *clusterv1.MachineDeployment) {
		edit(deployment, &deployment.Spec.Template.Spec.Version)
	})
}
