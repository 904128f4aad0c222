package admission

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// unbounded is a budget without a limit.
const unbounded = -1

// budget is how many remediations may be in flight at once.
func budget(maxInFlight *intstr.IntOrString, expected int) int {
	if maxInFlight == nil {
		return unbounded
	}
	n, err := mhcspec.Scale(*maxInFlight, expected)
	if err != nil {
		return 0
	}
	return max(1, n)
}

// Bounded reports whether the number of slots is limited.
func Bounded(f Facts) bool {
	config, _ := mhcspec.ParseConfig(f.MachineHealthCheck, f.Template.Plan)
	return config.MaxInFlight != nil
}

// OverBudget says that more machines are under repair than allowed; empty otherwise.
func OverBudget(f Facts, now time.Time) string {
	config, _ := mhcspec.ParseConfig(f.MachineHealthCheck, f.Template.Plan)
	most, flight := budget(config.MaxInFlight, len(f.Targets)), f.underRepair(now)
	if most == unbounded || len(flight) <= most {
		return ""
	}
	return fmt.Sprintf("%d of at most %d repairs in flight: %s", len(flight), most, names(slices.Collect(maps.Values(flight))))
}
