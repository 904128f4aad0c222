package limits

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Number is a number that may be written as a fraction, as in 1/20.
type Number float64

// UnmarshalJSON decodes a number, or a string with one.
func (n *Number) UnmarshalJSON(data []byte) error {
	text := string(data)
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	above, below, fraction := strings.Cut(text, "/")
	if !fraction {
		below = "1"
	}
	a, errA := strconv.ParseFloat(above, 64)
	b, errB := strconv.ParseFloat(below, 64)
	value := a / b
	if errA != nil || errB != nil || !(value >= 0 && value <= math.MaxFloat64) {
		return fmt.Errorf("%s is not a number such as 3, 1.5 or 1/20", text)
	}
	*n = Number(value)
	return nil
}
