package admission

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestStrayRequest: a request that clusterctl move has taken along with its Machine names a record that is nowhere. If
// the machine is healthy by now, nobody makes a record for it, and the controller of the request goes on with a healthy machine.
func TestStrayRequest(t *testing.T) {
	for name, target := range map[string]Target{"healthy": healthy("a"), "sick": sick("a")} {
		request := &metav1.PartialObjectMetadata{}
		request.Kind, request.Name = "Metal3Remediation", "a"
		request.Annotations = map[string]string{v1alpha1.OperationAnnotation: "a-record-that-is-nowhere/1"}
		request.OwnerReferences = []metav1.OwnerReference{{Kind: "Machine", Name: "a", UID: target.Machine.UID}}
		f := facts(check(byTemplate()), target)
		f.Targets[0].Stray = Stray(target.Machine, request)
		if d := Decide(f, now); len(d.Admit) != 1 {
			t.Errorf("%s: nobody looks after its request", name)
		}
	}
}
