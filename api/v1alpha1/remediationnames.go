package v1alpha1

// Labels, annotations and the finalizer of a MachineRemediation.
const (
	// OpenLabel is on a MachineRemediation until soon after its end. Its value is empty.
	OpenLabel = "sickbay.dev/open"
	// MachineUIDLabel holds the UID of the machine of a MachineRemediation.
	MachineUIDLabel = "sickbay.dev/machine-uid"
	// OrdinalAnnotation says which remediation of its machine a MachineRemediation is, counted from 1.
	OrdinalAnnotation = "sickbay.dev/ordinal"
	// RemediationFinalizer keeps a MachineRemediation until Sickbay has taken back everything that it asked for.
	RemediationFinalizer = "sickbay.dev/remediation"
	// OperationAnnotation holds the operationID of the attempt that has made or marked an object.
	OperationAnnotation = "sickbay.dev/operation-id"
)
