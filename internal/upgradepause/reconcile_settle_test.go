package upgradepause

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// waiting reports machines that are not back; it counts its calls.
type waiting struct {
	names []string
	err   error
	asked int
}

func (w *waiting) NotReady(context.Context, *metav1.PartialObjectMetadata) ([]string, error) {
	w.asked++
	return w.names, w.err
}

// TestSettles: only other controllers' machines are waited for, since the clocks of ours restart, and only once the upgrade is over.
func TestSettles(t *testing.T) {
	for ours, want := range map[bool]stored{false: settling(noon), true: resumed(noon)} {
		f, nodes := newHarness(t, ClusterAPIKind), &waiting{names: []string{"m1"}}
		check := f.check("mhc", nil)
		f.Readiness, f.SettleTimeout, f.Ours = nodes, settleWithin, func(*metav1.PartialObjectMetadata) bool { return ours }
		f.upgrading("A")
		f.reconcile(check)
		if nodes.asked > 0 {
			t.Error("Nodes are looked at in the midst of an upgrade")
		}
		f.upgrading()
		f.reconcile(check)
		f.wantStored(check, want)
		if ours && nodes.asked > 0 {
			t.Error("Nodes are looked at for nothing")
		}
		nodes.err = errors.New("no permission")
		f.reconcile(check)
		f.wantStored(check, want)
	}
}

// TestNotReadyUnknown: while Machines or Nodes cannot be read, nobody says that all are Ready.
func TestNotReadyUnknown(t *testing.T) {
	for _, kind := range bothKinds {
		f := newHarness(t, kind)
		check := f.check("mhc", nil)
		check.Labels = map[string]string{clusterv1.ClusterNameLabel: build.ClusterName}
		f.readFrom(sources{live: f.env.Client, open: func(context.Context, client.Object) error { return errBroken }})
		if _, err := f.Readiness.NotReady(t.Context(), check); !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v", kind.Group, err)
		}
	}
}
