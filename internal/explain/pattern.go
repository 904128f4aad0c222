package explain

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// traits are properties that sick machines may share and that point at a cause.
var traits = []struct {
	what string
	of   func(*clusterv1.Machine) string
}{
	{"in failure domain", func(m *clusterv1.Machine) string { return m.Spec.FailureDomain }},
	{"of MachineDeployment", func(m *clusterv1.Machine) string { return m.Labels[clusterv1.MachineDeploymentNameLabel] }},
	{"of version", func(m *clusterv1.Machine) string { return m.Spec.Version }},
	{"of owner", func(m *clusterv1.Machine) string {
		if owner := metav1.GetControllerOf(m); owner != nil {
			return owner.Kind + " " + owner.Name
		}
		return ""
	}},
}

// pattern says what all sick machines of a MachineHealthCheck share and the others do not; empty if nothing, or if fewer than
// two machines are sick.
func (c *Check) pattern() string {
	if c == nil {
		return ""
	}
	var sick, others []*clusterv1.Machine
	for _, m := range c.Machines {
		if m.sick() {
			sick = append(sick, m.Machine)
			continue
		}
		others = append(others, m.Machine)
	}
	if len(sick) < 2 {
		return ""
	}
	for _, trait := range traits {
		common := trait.of(sick[0])
		if common != "" && all(sick, common, trait.of) && !all(others, common, trait.of) {
			return fmt.Sprintf("All %d sick machines are %s %s", len(sick), trait.what, common)
		}
	}
	return ""
}

func all(machines []*clusterv1.Machine, value string, of func(*clusterv1.Machine) string) bool {
	for _, m := range machines {
		if of(m) != value {
			return false
		}
	}
	return true
}
