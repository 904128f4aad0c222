package reboot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// taintSince is the first version of Kubernetes that honours the taint.
var taintSince = version.MustParseGeneric("1.28")

// node reads the Node of a Machine live. It reads only what the phase needs: until the host is off, a dead workload cluster must not
// hold up the cycle. Its only error is workload.ErrNoPlace.
func (r *Reconciler) node(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) (cycle.NodeFacts, error) {
	name := nodeName(request, m)
	if name == "" {
		return cycle.NodeFacts{State: cycle.NodeNone}, nil
	}
	node, err := r.Workload.GetLive(ctx, m.cluster, name)
	switch {
	case apierrors.IsNotFound(err):
		return cycle.NodeFacts{State: cycle.NodeGone}, nil
	case errors.Is(err, workload.ErrBusy):
		return cycle.NodeFacts{}, workload.ErrNoPlace
	case err != nil:
		return unreadable(ctx, err, "reading Node "+name), nil
	}
	facts := cycle.NodeFacts{State: cycle.NodeFound, Node: node, Tainted: cycle.Tainted(node)}
	if phase := request.Status.Phase; !cycle.TaintsNode(&request.Spec, &request.Status) || (phase != v1alpha1.Fenced && phase != v1alpha1.Isolating) {
		return facts, nil
	}
	return r.taintFacts(ctx, m, facts), nil
}

func nodeName(request *v1alpha1.RebootRemediation, m *machine) string {
	if request.Status.Node != nil {
		return request.Status.Node.Name
	}
	if m == nil {
		return ""
	}
	return m.node
}

// unreadable turns an error of a workload cluster into facts for a decision. Whatever is wrong there, the cycle does not wait past
// its deadline.
func unreadable(ctx context.Context, err error, doing string) cycle.NodeFacts {
	ctrl.LoggerFrom(ctx).Info("The workload cluster cannot be read", "doing", doing, "cause", err.Error())
	cause, known := workload.Unreadable(err)
	reason := apierrors.ReasonForError(err)
	switch {
	case known:
	case reason != metav1.StatusReasonUnknown:
		cause = "the workload cluster refuses it: " + string(reason)
	default:
		cause = "the workload cluster does not answer"
	}
	return cycle.NodeFacts{State: cycle.NodeUnreadable, Cause: cause}
}

// taintFacts adds whether the workload cluster honours the taint, and whether the Node is drained.
func (r *Reconciler) taintFacts(ctx context.Context, m *machine, facts cycle.NodeFacts) cycle.NodeFacts {
	info, err := r.Workload.Version(ctx, m.cluster)
	if err != nil {
		return unreadable(ctx, err, "asking the workload cluster for its version")
	}
	actual, err := version.ParseGeneric(strings.TrimSuffix(info.Major+"."+info.Minor, "+"))
	facts.TaintSupported = err == nil && actual.AtLeast(taintSince)
	if !facts.Tainted {
		return facts
	}
	facts.Drained, err = r.drained(ctx, m.cluster, facts.Node.Name)
	if err != nil {
		return unreadable(ctx, err, "checking whether Node "+facts.Node.Name+" is drained")
	}
	return facts
}

// home says whether a control plane belongs to the management cluster: then the workload cluster has this same RebootRemediation.
// Machines of OpenShift always belong to the cluster that they are stored in.
func (r *Reconciler) home(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) quorum.Home {
	if r.Kind == OpenShiftKind {
		return quorum.HomeHere
	}
	hasty, cancel := context.WithTimeout(ctx, hastyRead)
	defer cancel()
	c, err := r.Workload.Client(hasty, m.cluster)
	if err != nil {
		return quorum.HomeUnknown
	}
	found := scaffold.MetadataOf(v1alpha1.GroupVersion.WithKind("RebootRemediation"))
	err = c.Get(hasty, client.ObjectKeyFromObject(request), found)
	switch {
	case err == nil && found.UID == request.UID:
		return quorum.HomeHere
	case err == nil, apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return quorum.HomeElsewhere
	}
	return quorum.HomeUnknown
}

// readCluster reads from the Cluster of a machine whether a person permits it to lose its quorum, and whether its etcd runs
// elsewhere than on the machines of its control plane.
func (r *Reconciler) readCluster(ctx context.Context, m *machine) (permitted, externalEtcd bool, err error) {
	if r.Kind == OpenShiftKind {
		return false, false, nil
	}
	cluster := &clusterv1.Cluster{}
	err = r.Live.Get(ctx, m.cluster, cluster)
	if apierrors.IsNotFound(err) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("getting Cluster %s: %w", m.cluster, err)
	}
	return permits(cluster), r.etcdElsewhere(ctx, cluster), nil
}

// etcdElsewhere reports whether a KubeadmControlPlane uses an external etcd. If it cannot be read, or is of another kind, the answer
// is no: then more machines have to be up.
func (r *Reconciler) etcdElsewhere(ctx context.Context, cluster *clusterv1.Cluster) bool {
	ref := cluster.Spec.ControlPlaneRef
	mapping, err := r.Mapper.RESTMapping(schema.GroupKind{Group: ref.APIGroup, Kind: ref.Kind})
	if ref.Kind != "KubeadmControlPlane" || err != nil {
		return false
	}
	plane := &unstructured.Unstructured{}
	plane.SetGroupVersionKind(mapping.GroupVersionKind)
	if err := r.Live.Get(ctx, client.ObjectKey{Namespace: cluster.Namespace, Name: ref.Name}, plane); err != nil {
		return false
	}
	external, found, err := unstructured.NestedMap(plane.Object, "spec", "kubeadmConfigSpec", "clusterConfiguration", "etcd", "external")
	return err == nil && found && len(external) > 0
}
