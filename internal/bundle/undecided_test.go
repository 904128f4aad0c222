package bundle

import (
	"context"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/fleet"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
)

// TestUndecided: while nothing can be decided about a MachineHealthCheck, because the webhook of the kind of its template is down, its machines are
// still its machines.
func TestUndecided(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1", Kind: "Metal3RemediationTemplate"}
	f := newHarness(t, build.TemplateRef(kind, "a"))
	down := f.env.Intercept(t, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
		if _, metadata := list.(*metav1.PartialObjectMetadataList); metadata {
			return apierrors.NewInternalError(errors.New("conversion webhook for infrastructure.cluster.x-k8s.io failed"))
		}
		return c.List(ctx, list, opts...)
	}})
	f.sick("s")
	f.admit(f.sick("r"), reboot, replace)
	o := fleet.New(fleet.Sources{
		Client: live.Client(f.env.Client), Live: down, Nodes: &f.nodes, GracePeriod: 5 * time.Minute, Policy: mhcspec.Policy{Adopt: mhcspec.AdoptAll},
		Namespace: f.ns, Records: true, Clock: testingclock.NewFakePassiveClock(f.now),
	})
	facts, err := o.Look(t.Context(), f.ns)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range facts.Machines {
		if page := facts.Page(m); page.State == explain.StateUnwatched {
			t.Errorf("%s: %s", m.Machine.Name, page.Headline)
		}
	}
	for _, row := range facts.CheckPage(facts.Checks[0]).Rows {
		if row.Label == "Opens" {
			t.Errorf("it has no range, and nothing is known of its gate: %s", row.Text)
		}
	}
}
