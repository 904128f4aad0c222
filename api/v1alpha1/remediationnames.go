package v1alpha1

// Labels, annotations and the finalizer of a MachineRemediation.
const (
	// OpenLabel is on a MachineRemediation until it has ended. Its value is empty.
	OpenLabel = "sickbay.dev/open"
	// MachineUIDLabel on a MachineRemediation holds the UID of its machine.
	MachineUIDLabel = "sickbay.dev/machine-uid"
	// OrdinalAnnotation on a MachineRemediation says which of its machine's remediations it is, counted from 1.
	OrdinalAnnotation = "sickbay.dev/ordinal"
	// RemediationFinalizer keeps a MachineRemediation until nothing that it asked for stands any more.
	RemediationFinalizer = "sickbay.dev/remediation"
	// OperationAnnotation on whatever an attempt makes or marks holds the operationID of that attempt.
	OperationAnnotation = "sickbay.dev/operation-id"
)
