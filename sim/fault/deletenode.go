package fault

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	infrav1 "sigs.k8s.io/cluster-api/test/infrastructure/docker/api/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// never is a startup time beyond the life of any world.
const never = 10 * 365 * 24 * time.Hour

// bootstrapped is the Machine annotation that tells the in-memory backend to skip startup times.
const bootstrapped = "machine.inmemory.infrastructure.cluster.x-k8s.io/bootstrapped"

// DeleteNode deletes the Node of a machine whose infrastructure stays, and prevents its return.
//
// The Machine's NodeReady and NodeHealthy conditions become False with reason NodeDeleted within some 50
// ms. Without more, the in-memory backend would create the Node again 150 ms later. So the fault first
// resets the machine to the state before its kubelet started, with a startup time that never ends; as a
// side effect, its InfrastructureReady condition becomes False. Deleting the Machine works as usual, and
// its replacement comes up. Heal brings the Node back if the machine still exists.
type DeleteNode struct {
	Cluster client.ObjectKey
	Node    string
}

// String implements Fault.
func (f DeleteNode) String() string {
	return fmt.Sprintf("node %s of cluster %s deleted", f.Node, f.Cluster)
}

// Inject implements Fault.
func (f DeleteNode) Inject(ctx context.Context, w *world.World) error {
	machine, err := w.MachineOf(ctx, f.Cluster, f.Node)
	if err != nil {
		return err
	}
	if err := f.setStartup(ctx, w, never); err != nil {
		return err
	}
	if err := f.unbootstrap(ctx, w, client.ObjectKeyFromObject(machine)); err != nil {
		return err
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: f.Node}}
	if err := w.WorkloadClient(f.Cluster).Delete(ctx, node); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting node %s of cluster %s: %w", f.Node, f.Cluster, err)
	}
	return nil
}

// Heal implements Fault.
func (f DeleteNode) Heal(ctx context.Context, w *world.World) error {
	return ignoreNotFound(f.setStartup(ctx, w, 0))
}

// setStartup changes the startup time of the machine's kubelet. In memory, a Node has the name of its
// machine.
func (f DeleteNode) setStartup(ctx context.Context, w *world.World, startup time.Duration) error {
	key := client.ObjectKey{Namespace: f.Cluster.Namespace, Name: f.Node}
	return change(ctx, w, key, &infrav1.DevMachine{}, func(machine *infrav1.DevMachine) {
		setNodeStartup(&machine.Spec, startup)
	})
}

// unbootstrap removes the annotation bootstrapped until the backend has noticed. It must repeat that,
// because a backend that sees the missing annotation before the new startup time puts it back.
func (f DeleteNode) unbootstrap(ctx context.Context, w *world.World, machine client.ObjectKey) error {
	return world.Poll(ctx, func(ctx context.Context) error {
		err := change(ctx, w, machine, &clusterv1.Machine{}, func(machine *clusterv1.Machine) {
			unannotate(machine, bootstrapped)
		})
		if err != nil {
			return err
		}
		infra := &infrav1.DevMachine{}
		if err := w.Client().Get(ctx, client.ObjectKey{Namespace: f.Cluster.Namespace, Name: f.Node}, infra); err != nil {
			return fmt.Errorf("getting the infrastructure of machine %s: %w", machine, err)
		}
		if !conditions.IsFalse(infra, infrav1.DevMachineInMemoryNodeProvisionedCondition) {
			return fmt.Errorf("the backend of machine %s still provides a node", machine)
		}
		return nil
	})
}

func setNodeStartup(spec *infrav1.DevMachineSpec, startup time.Duration) {
	if spec.Backend.InMemory.Node == nil {
		spec.Backend.InMemory.Node = &infrav1.InMemoryNodeSpec{}
	}
	spec.Backend.InMemory.Node.Provisioning.StartupDuration = metav1.Duration{Duration: startup}
}

func nodeStartup(spec infrav1.DevMachineSpec) time.Duration {
	if spec.Backend.InMemory.Node == nil {
		return 0
	}
	return spec.Backend.InMemory.Node.Provisioning.StartupDuration.Duration
}
