package reboot

import (
	"context"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// taintSince is the version from which on the taint is honoured.
var taintSince = version.MustParseGeneric("1.28")

// node reads the Node of a Machine, live. What the record does not need yet is not asked for: as long as the host
// is not off, a workload cluster that is dead holds up nothing. The error is errBusy.
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
		return cycle.NodeFacts{}, errBusy
	case err != nil:
		return unreadable(ctx, err, "reading Node "+name), nil
	}
	facts := cycle.NodeFacts{State: cycle.NodeFound, Node: node, Tainted: cycle.Tainted(node)}
	if phase := request.Status.Phase; !request.Spec.TaintsNode() || (phase != v1alpha1.Fenced && phase != v1alpha1.Isolating) {
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

// unreadable turns an error of a workload cluster into what a decision can go by. Whatever is wrong there, it is waited no
// longer than there is time.
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

// taintFacts adds whether the taint is honoured, and what still holds on to the Node.
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
		return unreadable(ctx, err, "looking for what holds on to Node "+facts.Node.Name)
	}
	return facts
}
