package admission

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// maxCount is the largest number that the API takes for a count.
const maxCount = math.MaxInt32

// scale returns a number as it is, and a percentage of total, rounded down, though
// no more than the API takes for a count. Below zero stays below zero, also if total
// is zero: whether a value is valid must not depend on how many Machines there are.
func scale(value intstr.IntOrString, total int) (int, error) {
	if value.Type == intstr.Int {
		return int(value.IntVal), nil
	}
	number, ok := strings.CutSuffix(value.StrVal, "%")
	percent, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil {
		return 0, errors.New("it is neither a number nor a percentage")
	}
	if percent < 0 {
		return -1, nil
	}
	return int(min(maxCount, min(percent, maxCount)*int64(total)/100)), nil
}

// unbounded stands for a budget without a bound.
const unbounded = -1

// budget is how many remediations may be in flight at once.
func budget(maxInFlight *intstr.IntOrString, expected int) int {
	if maxInFlight == nil {
		return unbounded
	}
	n, err := scale(*maxInFlight, expected)
	if err != nil {
		return 0
	}
	return max(1, n)
}
