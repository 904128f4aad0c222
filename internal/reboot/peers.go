package reboot

import (
	"context"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/cluster-api/controllers/noderefutil"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
)

// peer reads the state of another machine. The host comes first: a host that a cycle has left off counts whatever the state of its
// machine.
func (r reader) peer(ctx context.Context, m *machine, cycles []*v1alpha1.RebootRemediation) (quorum.Peer, error) {
	p := quorum.Peer{Name: m.object.GetName()}
	host, err := r.peerHost(ctx, m)
	if err != nil {
		return p, err
	}
	switch {
	case host != nil && !host.Status.PoweredOn:
		p.State, p.LeftOffBy = quorum.HostOff, leftOffBy(cycles, m, host)
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
func (r reader) peerHost(ctx context.Context, m *machine) (*metal3v1.BareMetalHost, error) {
	_, found, err := r.findHost(ctx, m)
	if apierrors.IsForbidden(err) || found.Missing != "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return r.readHost(ctx, client.ObjectKey{Namespace: m.object.GetNamespace(), Name: found.Name})
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

// leftOffBy names the RebootRemediation that left the host of a machine off: the last one that ended, if the host did not come on in it; empty if none
// did. Older ones are history.
func leftOffBy(cycles []*v1alpha1.RebootRemediation, m *machine, host *metal3v1.BareMetalHost) string {
	var last *v1alpha1.RebootRemediation
	for _, one := range cycles {
		s := &one.Status
		of := s.Phase.Ended() && s.MachineUID == m.object.GetUID() && s.Host != nil && s.Host.UID == host.UID
		if of && (last == nil || last.Status.FinishedAt.Before(s.FinishedAt)) {
			last = one
		}
	}
	if last == nil || last.Status.Phase == v1alpha1.Succeeded || last.Status.LastPoweredOn != nil {
		return ""
	}
	return last.Name
}

// nodeState reads the state of a machine's Node from its cluster.
func (r reader) nodeState(ctx context.Context, m *machine) quorum.State {
	hasty, cancel := context.WithTimeout(ctx, hastyRead)
	defer cancel()
	node, err := r.nodes.GetLive(hasty, m.cluster, m.node)
	switch {
	case apierrors.IsNotFound(err):
		return quorum.NodeGone
	case err != nil:
		return quorum.NodeUnreadable
	case !noderefutil.IsNodeReady(node):
		return quorum.NodeNotReady
	}
	return quorum.Up
}
