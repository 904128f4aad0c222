package reboot

import (
	"strings"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/client-go/tools/events"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestLongHostError: the error of a host may be longer than a condition's message. Then the record can still be stored, so that the host is let
// go of when its time is up.
func TestLongHostError(t *testing.T) {
	e := env.Get(t)
	host := &metal3v1.BareMetalHost{}
	host.Name, host.Status.Provisioning.State = "h1", metal3v1.StateProvisioned
	host.Status.ErrorType, host.Status.ErrorMessage = metal3v1.PowerManagementError, strings.Repeat("redfish: unreachable ", 2000)
	says := cycle.HostFactsOf(host, "r-1", cycle.Consumer{})

	request := &v1alpha1.RebootRemediation{}
	request.Namespace, request.Name = e.Namespace(t), "m"
	build.Create(t.Context(), t, e.Client, request)
	r := &Reconciler{Client: e.Client, Live: e.Client, Recorder: events.NewFakeRecorder(10)}
	for _, after := range []time.Duration{time.Minute, 24 * time.Hour} {
		f := in(v1alpha1.PoweringOff)
		f.Host.Key, f.Host.PoweredOn, f.Host.ProbedAt = true, false, noon.Time
		f.Host.Obstacle, f.Host.Message = says.Obstacle, says.Message
		d := cycle.Decide(f, noon.Add(after))
		if !d.Changed {
			t.Fatalf("%s later: %+v", after, d)
		}
		stored := reread(t, e, request.DeepCopy())
		if err := r.store(t.Context(), stored, d.Status); err != nil {
			t.Errorf("%s later, phase %s cannot be stored: %.300s", after, d.Status.Phase, err)
		}
	}
}
