package uninstall

import (
	"context"
	"fmt"
	"slices"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/uninstall/trace"
)

// surveyNode finds what a power cycle removed from a Node and has not put back.
func surveyNode(s *Survey, obj *unstructured.Unstructured) error {
	request := &v1alpha1.RebootRemediation{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, request); err != nil {
		return fmt.Errorf("reading RebootRemediation %s: %w", client.ObjectKeyFromObject(obj), err)
	}
	if !cycle.OwesNode(&request.Status) {
		return nil
	}
	item := Item{Kind: obj.GroupVersionKind(), Key: client.ObjectKeyFromObject(obj), step: serveNodes}
	item.What = []string{"Node " + request.Status.Node.Name + ", which it has taken out of service"}
	s.Items = append(s.Items, item)
	return nil
}

// serveNode puts the Node of a RebootRemediation back in service.
func (u *Uninstaller) serveNode(ctx context.Context, key client.ObjectKey) error {
	request := &v1alpha1.RebootRemediation{}
	if err := u.Client.Get(ctx, key, request); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !cycle.OwesNode(&request.Status) {
		return nil
	}
	c, err := u.workloadOf(ctx, request)
	if err == nil {
		var another bool
		if another, err = u.ofAnother(ctx, request); another {
			return nil
		}
	}
	if err == nil {
		err = reboot.ReleaseNode(ctx, c, request)
	}
	if err == nil {
		err = u.clean(ctx, c, Item{Kind: trace.Nodes, Key: client.ObjectKey{Name: request.Status.Node.Name}})
	}
	if err != nil && u.LeaveNodes {
		return nil
	}
	return err
}

// owed reports whether a Node must still be put back in service: then its record stays.
func (u *Uninstaller) owed(ctx context.Context, request *v1alpha1.RebootRemediation) bool {
	if u.LeaveNodes || !cycle.OwesNode(&request.Status) {
		return false
	}
	c, err := u.workloadOf(ctx, request)
	if err != nil {
		return true
	}
	if another, err := u.ofAnother(ctx, request); err != nil || another {
		return err != nil
	}
	node := &corev1.Node{}
	if err := c.Get(ctx, client.ObjectKey{Name: request.Status.Node.Name}, node); err != nil {
		return true
	}
	return reboot.NodeOwed(request, node) != ""
}

// ofAnother reports whether the Node belongs to another machine now: the next machine on the same host may have a Node of the same name.
func (u *Uninstaller) ofAnother(ctx context.Context, request *v1alpha1.RebootRemediation) (another bool, err error) {
	var machines []types.UID
	if reboot.OfOpenShift(request) {
		machines, err = u.openShiftMachinesOn(ctx, request.Namespace, request.Status.Node.Name)
	} else {
		machines, err = u.machinesOn(ctx, request)
	}
	return len(machines) > 0 && !slices.Contains(machines, request.Status.MachineUID), err
}

// machinesOn returns the cluster's Machines that have the Node of a RebootRemediation.
func (u *Uninstaller) machinesOn(ctx context.Context, request *v1alpha1.RebootRemediation) (all []types.UID, err error) {
	cluster, err := u.clusterOf(ctx, request)
	if err != nil {
		return nil, err
	}
	var machines clusterv1.MachineList
	if err := u.Client.List(ctx, &machines, client.InNamespace(request.Namespace)); err != nil {
		return nil, fmt.Errorf("listing Machines: %w", err)
	}
	for i := range machines.Items {
		if m := &machines.Items[i]; m.Spec.ClusterName == cluster.Name && m.Status.NodeRef.Name == request.Status.Node.Name {
			all = append(all, m.UID)
		}
	}
	return all, nil
}

// openShiftMachinesOn returns the OpenShift Machines that have a Node.
func (u *Uninstaller) openShiftMachinesOn(ctx context.Context, namespace, node string) (all []types.UID, err error) {
	var machines machinev1.MachineList
	if err := u.Client.List(ctx, &machines, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("listing Machines of OpenShift: %w", err)
	}
	for i := range machines.Items {
		if m := &machines.Items[i]; m.Status.NodeRef != nil && m.Status.NodeRef.Name == node {
			all = append(all, m.UID)
		}
	}
	return all, nil
}

// workloadOf connects to the cluster of the Node. The Nodes of OpenShift's Machines are in the management cluster itself.
func (u *Uninstaller) workloadOf(ctx context.Context, request *v1alpha1.RebootRemediation) (client.Client, error) {
	if reboot.OfOpenShift(request) {
		return u.Client, nil
	}
	cluster, err := u.clusterOf(ctx, request)
	if err != nil {
		return nil, err
	}
	c, err := u.Workload(ctx, cluster)
	if err != nil {
		return nil, fmt.Errorf("connecting to the workload cluster %s: %w", cluster, err)
	}
	return c, nil
}

// clusterOf returns the Cluster of a RebootRemediation's machine.
func (u *Uninstaller) clusterOf(ctx context.Context, request *v1alpha1.RebootRemediation) (client.ObjectKey, error) {
	if name := request.Labels[clusterv1.ClusterNameLabel]; name != "" {
		return client.ObjectKey{Namespace: request.Namespace, Name: name}, nil
	}
	var machines clusterv1.MachineList
	if err := u.Client.List(ctx, &machines, client.InNamespace(request.Namespace)); err != nil {
		return client.ObjectKey{}, fmt.Errorf("listing Machines: %w", err)
	}
	for i := range machines.Items {
		if m := &machines.Items[i]; m.UID == request.Status.MachineUID {
			return client.ObjectKey{Namespace: m.Namespace, Name: m.Spec.ClusterName}, nil
		}
	}
	return client.ObjectKey{}, fmt.Errorf("the machine of RebootRemediation %s is gone", client.ObjectKeyFromObject(request))
}
