package remediation

import (
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
)

// TestOnlyKindsWithTemplatesAreWatched: a plan with a step that names a LeaseTemplate, which does not exist, does not make Sickbay watch all
// Leases.
func TestOnlyKindsWithTemplatesAreWatched(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	for kind, want := range map[schema.GroupVersionKind]int{
		env.RemediationGroupVersion.WithKind(env.RemediationKind): 1, coordinationv1.SchemeGroupVersion.WithKind("Lease"): 0,
	} {
		ctl := &live.Controller{}
		f.watches = scaffold.Watches{Controller: ctl, Mapper: f.Client.RESTMapper()}
		for range 2 {
			if err := f.watchKind(t.Context(), kind); err != nil {
				t.Errorf("%s: %v", kind.Kind, err)
			}
		}
		if ctl.Watches != want {
			t.Errorf("%s: %d watches begin, want %d", kind.Kind, ctl.Watches, want)
		}
	}
}
