package adoption

// Label on a Cluster hands all its MachineHealthChecks over to Sickbay if its value is "true". On a namespace it does so for all Clusters in it
// that do not have the label themselves.
const Label = "sickbay.dev/manage"

// Facts is what is known of a MachineHealthCheck.
type Facts struct {
	// Cluster and Namespace are the values of the label on its Cluster and its namespace; empty without the label.
	Cluster, Namespace string
	// Paused reports whether it has the annotation cluster.x-k8s.io/paused, and Ours whether we have set that.
	Paused, Ours bool
	// Upgrading reports whether it has the marker of a pause for an upgrade. Package upgradepause removes that when the pause has ended.
	Upgrading bool
	// Drains reports whether Sickbay hands everything back, or no longer looks after this one.
	Drains bool
}

// Act is what to do.
type Act int

// The acts.
const (
	// Nothing leaves the annotation as it is.
	Nothing Act = iota
	// HandOver sets it.
	HandOver
	// GiveBack removes it.
	GiveBack
	// LeaveToUpgrade makes it the upgrade's: package upgradepause removes it once the Nodes are back.
	LeaveToUpgrade
)

// Decide decides about one MachineHealthCheck. An annotation that others have set is theirs, whatever its value. To take ours away during an upgrade
// would end the upgrade's pause, and to set it would begin one again that a person has ended.
func Decide(f Facts) Act {
	wanted := f.wanted() && !f.Drains
	switch {
	case f.Upgrading && !f.wanted() && f.Ours && !f.Drains:
		return LeaveToUpgrade
	case f.Upgrading:
	case wanted && !f.Paused:
		return HandOver
	case !wanted && f.Ours:
		return GiveBack
	}
	return Nothing
}

func (f Facts) wanted() bool {
	if f.Cluster != "" {
		return f.Cluster == "true"
	}
	return f.Namespace == "true"
}
