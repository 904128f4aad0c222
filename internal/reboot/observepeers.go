package reboot

import (
	"context"
	"fmt"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
)

// controlPlane reads what decides whether a control-plane machine may begin; nil for any other machine, which waits for nobody.
// While another machine is cycled, the rest does not matter.
func (r *Reconciler) controlPlane(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) (*quorum.Facts, error) {
	if m == nil || !m.controlPlane {
		return nil, nil
	}
	var requests v1alpha1.RebootRemediationList
	if err := r.Client.List(ctx, &requests, client.InNamespace(request.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing RebootRemediations in %s: %w", request.Namespace, err)
	}
	f := &quorum.Facts{Cycles: r.cycles(ctx, requests.Items, request, m)}
	if len(f.Cycles) > 0 {
		return f, nil
	}
	others, err := r.others(ctx, m)
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		peer, err := r.peer(ctx, other, requests.Items)
		if err != nil {
			return nil, err
		}
		f.Peers = append(f.Peers, peer)
	}
	f.Permitted, f.ExternalEtcd, err = r.readCluster(ctx, m)
	f.Permitted = f.Permitted || permits(request)
	f.Home = r.home(ctx, request, m)
	return f, err
}

// permits reports whether a person has annotated an object to permit that a control plane loses its quorum.
func permits(obj client.Object) bool { return obj.GetAnnotations()[quorum.Permission] == "true" }

// others reads the other machines of the control plane.
func (r *Reconciler) others(ctx context.Context, m *machine) ([]*machine, error) {
	list, role := client.ObjectList(&clusterv1.MachineList{}), client.ListOption(client.HasLabels{clusterv1.MachineControlPlaneLabel})
	if r.Kind == OpenShiftKind {
		list, role = &machinev1.MachineList{}, client.MatchingLabels{openShiftRole: openShiftMaster}
	}
	if err := r.Live.List(ctx, list, client.InNamespace(m.object.GetNamespace()), role); err != nil {
		return nil, fmt.Errorf("listing the machines of the control plane: %w", err)
	}
	var others []*machine
	err := meta.EachListItem(list, func(item runtime.Object) error {
		if other := machineOf(item.(client.Object)); other.cluster == m.cluster && other.object.GetUID() != m.object.GetUID() {
			others = append(others, other)
		}
		return nil
	})
	return others, err
}

// peer reads the state of another machine. The host comes first: a host that a cycle has left off counts whatever the state of its
// machine.
func (r *Reconciler) peer(ctx context.Context, m *machine, requests []v1alpha1.RebootRemediation) (quorum.Peer, error) {
	p := quorum.Peer{Name: m.object.GetName()}
	host, err := r.peerHost(ctx, m)
	if err != nil {
		return p, err
	}
	switch {
	case host != nil && !host.Status.PoweredOn:
		p.State, p.LeftOffBy = quorum.HostOff, leftOffBy(requests, m, host)
	case host != nil && keptOff(host):
		p.State = quorum.HostKeptOff
	case !m.object.GetDeletionTimestamp().IsZero():
		p.State = quorum.Deleting
	case m.sick:
		p.State = quorum.Sick
	case m.node == "":
		p.State = quorum.NotJoined
	default:
		p.State = r.nodeState(ctx, m)
	}
	return p, nil
}

// peerHost reads the host of another machine; nil if none is found, which does not make the machine count as down.
func (r *Reconciler) peerHost(ctx context.Context, m *machine) (*metal3v1.BareMetalHost, error) {
	_, found, err := r.findHost(ctx, m)
	if apierrors.IsForbidden(err) || found.Missing != "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	host, key := &metal3v1.BareMetalHost{}, client.ObjectKey{Namespace: m.object.GetNamespace(), Name: found.Name}
	err = r.Live.Get(ctx, key, host)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting host %s: %w", key, err)
	}
	return host, nil
}

// keptOff reports whether somebody wants a host off, or is about to cycle it.
func keptOff(host *metal3v1.BareMetalHost) bool {
	for key := range host.Annotations {
		if key == cycle.ProbeKey || strings.HasPrefix(key, metal3v1.RebootAnnotationPrefix+"/") {
			return true
		}
	}
	return !host.Spec.Online
}

// leftOffBy names the RebootRemediation that left the host of a machine off when it ended without success; empty if none did.
func leftOffBy(requests []v1alpha1.RebootRemediation, m *machine, host *metal3v1.BareMetalHost) string {
	for i := range requests {
		s := &requests[i].Status
		inVain := s.Phase.Ended() && s.Phase != v1alpha1.Succeeded && IsCycle(&requests[i])
		if inVain && s.MachineUID == m.object.GetUID() && s.Host != nil && s.Host.UID == host.UID {
			return requests[i].Name
		}
	}
	return ""
}

// nodeState reads the state of a machine's Node from its cluster.
func (r *Reconciler) nodeState(ctx context.Context, m *machine) quorum.State {
	hasty, cancel := context.WithTimeout(ctx, hastyRead)
	defer cancel()
	node, err := r.Workload.GetLive(hasty, m.cluster, m.node)
	switch {
	case apierrors.IsNotFound(err):
		return quorum.NodeGone
	case err != nil:
		return quorum.NodeUnreadable
	case !cycle.Ready(node):
		return quorum.NodeNotReady
	}
	return quorum.Up
}
