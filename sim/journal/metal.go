package journal

import (
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// IsRequest reports whether an entry is a state of a RebootRemediation for a Machine. A RebootRemediation names the
// Machine if a MachineRemediation created it; otherwise it has the Machine as its owner.
func IsRequest(e Entry, machine *clusterv1.Machine) bool {
	request, ok := e.Object.(*v1alpha1.RebootRemediation)
	if !ok {
		return false
	}
	if request.Spec.RequestedBy.ForRecord() && request.Spec.Machine != nil {
		return request.Spec.Machine.Name == machine.Name
	}
	for _, owner := range request.OwnerReferences {
		if owner.UID == machine.UID {
			return true
		}
	}
	return false
}
