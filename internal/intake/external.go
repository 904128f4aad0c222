package intake

import (
	"context"
	"fmt"
	"time"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/lease"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// ProviderLease is the Lease that OpenShift's bare-metal provider, cluster-api-provider-baremetal, holds while it runs. It carries
// the annotation out itself, and that cannot be switched off.
const ProviderLease = "controller-leader-election-capbm"

// leaseSlack is how overdue a Lease may be, since clocks differ.
const leaseSlack = 30 * time.Second

// ProviderAtWork returns a message if OpenShift's bare-metal provider runs, which power-cycles hosts for the annotation itself;
// empty if it does not run.
func ProviderAtWork(ctx context.Context, live client.Reader, namespace string, now time.Time) (string, error) {
	provider, key := &coordinationv1.Lease{}, client.ObjectKey{Namespace: namespace, Name: ProviderLease}
	err := live.Get(ctx, key, provider)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("looking whether OpenShift's provider for bare metal runs: getting Lease %s: %w", key, err)
	}
	if !lease.Held(provider, now, leaseSlack) {
		return "", nil
	}
	return fmt.Sprintf("cluster-api-provider-baremetal runs (it holds Lease %s), and power-cycles hosts for the annotation %s itself", key, ask.External), nil
}

// note writes what becomes of what OpenShift's health check asked for.
func (w writer) note(ctx context.Context, machine *clusterv1.Machine, d ask.Decision) error {
	change := map[string]any{rebootannotation.Outcome: nil}
	if d.Message != "" {
		change[rebootannotation.Outcome] = d.Message
	}
	return w.annotate(ctx, machine, change)
}

// annotate changes annotations of a Machine of OpenShift, if it is unchanged since it was read.
func (w writer) annotate(ctx context.Context, machine *clusterv1.Machine, changes map[string]any) error {
	patched := &machinev1.Machine{ObjectMeta: *machine.ObjectMeta.DeepCopy()}
	if err := w.Patch(ctx, patched, ownwrites.Annotations(patched, changes), client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("annotating machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	return nil
}
