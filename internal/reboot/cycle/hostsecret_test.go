package cycle

import (
	"strings"
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestPasswordOfAHost: the error of a host may quote the address of its BMC with the password. More people may read RebootRemediations than hosts.
func TestPasswordOfAHost(t *testing.T) {
	message := `Get "https://admin:hunter2@192.0.2.1/redfish": no route to host`
	failing, unmanageable := &metal3v1.BareMetalHost{}, &metal3v1.BareMetalHost{}
	failing.Status.ErrorType, failing.Status.ErrorMessage = metal3v1.PowerManagementError, message
	meta.SetStatusCondition(&unmanageable.Status.Conditions, metav1.Condition{Type: metal3v1.ManageableCondition, Status: metav1.ConditionFalse, Message: message})
	for _, host := range []*metal3v1.BareMetalHost{failing, unmanageable} {
		host.Status.Provisioning.State = metal3v1.StateProvisioned
		got := HostFactsOf(host, "r-1", Consumer{}).Message
		if strings.Contains(got, "hunter2") || !strings.Contains(got, "https://admin:***@192.0.2.1/redfish") {
			t.Errorf("it says %s", got)
		}
	}
}
