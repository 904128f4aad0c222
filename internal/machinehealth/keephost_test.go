package machinehealth

import (
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// TestKeepHost: the cached part of a host gives the same facts as the whole host.
func TestKeepHost(t *testing.T) {
	failing := metal3v1.BareMetalHostStatus{OperationalStatus: "error", ErrorType: "power management error", ErrorMessage: "i/o timeout"}
	provisioned := metal3v1.ProvisionStatus{State: metal3v1.StateProvisioned}
	for name, host := range map[string]*metal3v1.BareMetalHost{
		"fine":                  {Status: metal3v1.BareMetalHostStatus{OperationalStatus: "OK"}},
		"failing":               {Status: failing},
		"failing without words": {Status: metal3v1.BareMetalHostStatus{OperationalStatus: "error"}},
		"failing, and paused":   {ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{metal3v1.PausedAnnotation: ""}}, Status: failing},
		"switched off":          {Status: metal3v1.BareMetalHostStatus{OperationalStatus: "OK", Provisioning: provisioned}},
		"on":                    {Spec: metal3v1.BareMetalHostSpec{Online: true}, Status: metal3v1.BareMetalHostStatus{OperationalStatus: "OK", Provisioning: provisioned}},
		"in service":            {Spec: metal3v1.BareMetalHostSpec{Online: true}, Status: metal3v1.BareMetalHostStatus{OperationalStatus: "servicing", Provisioning: provisioned}},
		"with another's key":    {ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{metal3v1.RebootAnnotationPrefix + "/ann": ""}}, Spec: metal3v1.BareMetalHostSpec{Online: true}, Status: metal3v1.BareMetalHostStatus{Provisioning: provisioned}},
		"failing, and detached": {ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{metal3v1.DetachedAnnotation: ""}}, Status: failing},
	} {
		if got, want := verdict.HostFactsOf(KeepHost(host)), verdict.HostFactsOf(host); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		if got, want := cycle.KeptBy(KeepHost(host), false), cycle.KeptBy(host, false); got != want {
			t.Errorf("%s: kept by %q, want %q", name, got, want)
		}
	}
}
