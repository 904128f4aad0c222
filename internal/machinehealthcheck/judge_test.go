package machinehealthcheck

import (
	"testing"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
)

// judges is the controller that gives verdicts, for the tests that need them to be made, and not just to
// stand: machinehealth with the clock, the Nodes and the events of the site.
type judges struct {
	*machinehealth.Reconciler
	w *site
}

func (w *site) judges() judges {
	return judges{&machinehealth.Reconciler{
		Client: w.Client, Observer: w.Observer, Selectors: w.Selectors, Policy: w.Policy, Recorder: w.recorder, Clock: w.clock,
	}, w}
}

// judge gives the verdict on Machines. It returns after how long it wants to look at the last one again.
func (j judges) judge(t *testing.T, machines ...*clusterv1.Machine) time.Duration {
	t.Helper()
	var after time.Duration
	for _, machine := range machines {
		result, err := j.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(machine)})
		if err != nil {
			t.Fatal(err)
		}
		after = result.RequeueAfter
	}
	return after
}
