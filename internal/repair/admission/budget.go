package admission

import (
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
