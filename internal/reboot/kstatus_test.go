package reboot

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/health"
)

// TestKStatus: a cycle is in progress before Sickbay has looked at it, and then as its status says. A template is always ready.
func TestKStatus(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	template := &v1alpha1.RebootRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "cycle"}}
	request := cycleOf(ns, "m-1", v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m"})
	build.Create(t.Context(), t, e.Client, request, template)
	health.Is(t, e.Client, template, "Current", "healthy")
	health.Is(t, e.Client, request, "InProgress LatestGenerationNotObserved", "progressing_new")
	stops := func(f *cycle.Facts) { f.Spec.Until, f.Status.HoldingSince = v1alpha1.StepPowerOff, nil }
	for _, tt := range []struct {
		facts        cycle.Facts
		want, sample string
	}{
		{in(v1alpha1.Pending), "InProgress PoweringOff", "progressing_powering_off"},
		{in(v1alpha1.Fenced, stops), "InProgress Holding", "suspended_holding"},
		{in(v1alpha1.PoweringOff, func(f *cycle.Facts) { f.Machine = cycle.MachineFacts{Gone: true} }), "Failed MachineGone", "degraded_machine_gone"},
		{in(v1alpha1.Restoring, untouched), "Current", "healthy_succeeded"},
	} {
		request.Status = cycle.Decide(tt.facts, noon.Time).Status
		if err := (writer{Client: e.Client}).storeStatus(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		health.Is(t, e.Client, request, tt.want, tt.sample)
	}
}
