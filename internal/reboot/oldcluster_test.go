package reboot

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// oldCluster is a workload cluster that is older than the taint.
type oldCluster struct{}

func (oldCluster) GetLive(context.Context, client.ObjectKey, string) (*corev1.Node, error) {
	return nodeOf("node-1", "boot-1"), nil
}

func (oldCluster) Version(context.Context, client.ObjectKey) (*version.Info, error) {
	return &version.Info{Major: "1", Minor: "27+"}, nil
}

// TestUpstreamDefect_VersionOfAnotherCluster: upstream asked the management cluster whether the taint is
// honoured.
func TestUpstreamDefect_VersionOfAnotherCluster(t *testing.T) {
	r := reader{nodes: oldCluster{}}
	request := &v1alpha1.RebootRemediation{Status: in(v1alpha1.Fenced).Status}
	request.Spec.Isolation = v1alpha1.OutOfServiceTaint
	f := in(v1alpha1.Fenced, taints)
	f.Node, _ = r.node(t.Context(), request, &machine{cluster: client.ObjectKey{Name: "c"}})
	if d := cycle.Decide(f, noon.Time); f.Node.Node == nil || reasonOf(d.Status, v1alpha1.ConditionNodeIsolated) != v1alpha1.ReasonTaintUnsupported {
		t.Errorf("%s, %+v", d.Action, d.Status.Conditions)
	}
}
