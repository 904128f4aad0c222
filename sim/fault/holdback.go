package fault

import (
	"context"
	"fmt"
	"time"

	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	infrav1 "sigs.k8s.io/cluster-api/test/infrastructure/docker/api/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// startupBefore is the annotation with a template's original startup time.
const startupBefore = annotationPrefix + "startup-before"

// HoldBack keeps new machines of a MachineDeployment from ever joining their cluster: they get
// infrastructure, but no Node. It does not affect existing machines.
//
// The effect appears with the next new machine, after scaling up or a replacement. After Heal, new
// machines join; a machine that was held back never does, but its replacement does.
type HoldBack struct {
	Cluster client.ObjectKey
	// MachineDeployment is the name of the MachineDeployment. Empty: the control plane.
	MachineDeployment string
}

// String implements Fault.
func (f HoldBack) String() string {
	if f.MachineDeployment == "" {
		return fmt.Sprintf("new control plane machines of cluster %s never join", f.Cluster)
	}
	return fmt.Sprintf("new machines of %s of cluster %s never join", f.MachineDeployment, f.Cluster)
}

// Inject implements Fault.
func (f HoldBack) Inject(ctx context.Context, w *world.World) error {
	return f.changeTemplate(ctx, w, func(template *infrav1.DevMachineTemplate) {
		spec := &template.Spec.Template.Spec
		if _, held := template.Annotations[startupBefore]; held {
			return
		}
		annotate(template, startupBefore, nodeStartup(*spec).String())
		setNodeStartup(spec, never)
	})
}

// Heal implements Fault.
func (f HoldBack) Heal(ctx context.Context, w *world.World) error {
	var malformed error
	err := f.changeTemplate(ctx, w, func(template *infrav1.DevMachineTemplate) {
		before, held := template.Annotations[startupBefore]
		if !held {
			return
		}
		startup, err := time.ParseDuration(before)
		if err != nil {
			malformed = fmt.Errorf("reading the earlier startup time: %w", err)
			return
		}
		setNodeStartup(&template.Spec.Template.Spec, startup)
		unannotate(template, startupBefore)
	})
	if malformed != nil {
		return malformed
	}
	return ignoreNotFound(err)
}

// changeTemplate edits the template in place. Cluster API's webhook would refuse that, but a world has
// none. A new template would roll out all machines.
func (f HoldBack) changeTemplate(ctx context.Context, w *world.World, edit func(*infrav1.DevMachineTemplate)) error {
	name, err := f.template(ctx, w)
	if err != nil {
		return err
	}
	key := client.ObjectKey{Namespace: f.Cluster.Namespace, Name: name}
	return change(ctx, w, key, &infrav1.DevMachineTemplate{}, edit)
}

func (f HoldBack) template(ctx context.Context, w *world.World) (string, error) {
	if f.MachineDeployment == "" {
		controlPlane := &controlplanev1.KubeadmControlPlane{}
		key := client.ObjectKey{Namespace: f.Cluster.Namespace, Name: world.ControlPlaneName(f.Cluster.Name)}
		if err := w.Client().Get(ctx, key, controlPlane); err != nil {
			return "", fmt.Errorf("getting the control plane of cluster %s: %w", f.Cluster, err)
		}
		return controlPlane.Spec.MachineTemplate.Spec.InfrastructureRef.Name, nil
	}
	deployment := &clusterv1.MachineDeployment{}
	key := client.ObjectKey{Namespace: f.Cluster.Namespace, Name: f.MachineDeployment}
	if err := w.Client().Get(ctx, key, deployment); err != nil {
		return "", fmt.Errorf("getting machine deployment %s: %w", key, err)
	}
	return deployment.Spec.Template.Spec.InfrastructureRef.Name, nil
}
