package reboot

import "github.com/sickbay-dev/sickbay/api/v1alpha1"

// FieldOwner is the field manager for writes to hosts, Nodes and Machines.
const FieldOwner = "sickbay-reboot"

// IsCycle reports whether a RebootRemediation is a power cycle, for one attempt of a MachineRemediation. Any other only asks for a
// MachineRemediation.
func IsCycle(request *v1alpha1.RebootRemediation) bool { return request.Spec.RequestedBy.ForRecord() }

// OfOpenShift reports whether a RebootRemediation is about a Machine of OpenShift.
func OfOpenShift(request *v1alpha1.RebootRemediation) bool {
	return referenceOf(request).APIGroup == OpenShiftKind.Group
}
