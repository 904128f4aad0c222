package mhcspec

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// MaxCount is the largest count that the API accepts.
const MaxCount = math.MaxInt32

// Scale returns a number unchanged, and a percentage as a share of total, rounded down and
// at most MaxCount. A negative percentage gives a negative result even if total is zero:
// whether a value is valid must not depend on the number of Machines.
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
