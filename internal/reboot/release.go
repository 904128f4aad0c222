package reboot

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// OfOpenShift reports whether a RebootRemediation is about a Machine of OpenShift.
func OfOpenShift(request *v1alpha1.RebootRemediation) bool {
	return referenceOf(request).APIGroup == OpenShiftKind.Group
}

// NodeOwed reports what a RebootRemediation still owes its Node, if it is there: our taint goes, and what the Node had comes back. It
// returns an empty text if that is nothing.
func NodeOwed(request *v1alpha1.RebootRemediation, node *corev1.Node) (what string) {
	if !cycle.OwesNode(&request.Status) {
		return ""
	}
	if cycle.Tainted(node) {
		what = "the taint " + cycle.OutOfService.Key
	}
	if backup := request.Status.Node.Backup; backup != nil {
		for _, part := range cycle.Missing(backup, node).Each() {
			if what != "" {
				what += ", "
			}
			what += part.String()
		}
	}
	return what
}

// ReleaseNode puts the Node of a RebootRemediation back in service, with a client of the workload cluster, when no controller does so any
// more. A Node that is not there is an error: it may be on its way.
func ReleaseNode(ctx context.Context, c client.Client, request *v1alpha1.RebootRemediation) error {
	if !cycle.OwesNode(&request.Status) {
		return nil
	}
	name := request.Status.Node.Name
	node := &corev1.Node{}
	err := c.Get(ctx, client.ObjectKey{Name: name}, node)
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("the Node %s is not there, so nothing can be put back on it yet", name)
	}
	if err != nil {
		return fmt.Errorf("reading Node %s: %w", name, err)
	}
	if cycle.Tainted(node) {
		if err := untaintNode(ctx, c, node); err != nil {
			return err
		}
		if err := c.Get(ctx, client.ObjectKey{Name: name}, node); err != nil {
			return fmt.Errorf("reading Node %s again: %w", name, err)
		}
	}
	if backup := request.Status.Node.Backup; backup != nil && len(cycle.Missing(backup, node).Each()) > 0 {
		return restoreNode(ctx, c, node, backup)
	}
	return nil
}
