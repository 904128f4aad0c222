package machinehealthcheck

import (
	"testing"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
)

// doctor is the other controller, for the tests that need the verdicts to be made, and not just to
// stand: machinehealth with the ward's clock, Nodes and events.
type doctor struct {
	*machinehealth.Reconciler
	w *ward
}

func (w *ward) doctor() doctor {
	return doctor{&machinehealth.Reconciler{
		Client: w.Client, Observer: w.Observer, Selectors: w.Selectors, Policy: w.Policy, Recorder: w.events, Clock: w.clock,
	}, w}
}

// judge makes the doctor look at Machines. It returns after how long the last one wants it again.
func (d doctor) judge(t *testing.T, machines ...*clusterv1.Machine) time.Duration {
	t.Helper()
	var after time.Duration
	for _, machine := range machines {
		result, err := d.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(machine)})
		if err != nil {
			t.Fatal(err)
		}
		after = result.RequeueAfter
	}
	return after
}
