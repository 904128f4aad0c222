package v1alpha1

// Types of the conditions that sum up the others of any of Sickbay's kinds, for those who wait for it by kstatus, as Flux does. They are True or absent.
const (
	// ConditionReconciling: it is not done. It has the reason and the message of the condition that says what is missing.
	ConditionReconciling = "Reconciling"
	// ConditionStalled: it does not get done as it is. It has the reason and the message of the condition that says why.
	ConditionStalled = "Stalled"
)
