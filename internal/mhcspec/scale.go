package mhcspec

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// MaxCount is the largest number that the API takes for a count.
const MaxCount = math.MaxInt32

// Scale returns a number as it is, and a percentage of total, rounded down, though
// no more than the API takes for a count. Below zero stays below zero, also if total
// is zero: whether a value is valid must not depend on how many Machines there are.
func Scale(value intstr.IntOrString, total int) (int, error) {
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
	return int(min(MaxCount, min(percent, MaxCount)*int64(total)/100)), nil
}
