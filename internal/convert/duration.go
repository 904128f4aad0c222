package convert

import (
	"errors"
	"fmt"
	"math"
	"time"

	"go.yaml.in/yaml/v3"
)

// seconds converts a duration, such as 5m, to seconds, rounded up: nothing may happen earlier than before. A number is already
// in seconds if the field has its current name (isSeconds).
func (c *conversion) seconds(value *yaml.Node, isSeconds bool) (*yaml.Node, error) {
	if value.Kind != yaml.ScalarNode {
		return nil, fmt.Errorf("it is not a duration")
	}
	if isSeconds && value.ShortTag() == "!!int" {
		return value, nil
	}
	d, err := time.ParseDuration(value.Value)
	if err != nil {
		said := fmt.Sprintf("%q is not a duration like 5m", value.Value)
		if isDigits(value.Value) {
			said += "; perhaps " + value.Value + "s is meant"
		}
		return nil, errors.New(said)
	}
	whole := d / time.Second
	if d%time.Second > 0 {
		whole++
	}
	if d < 0 || whole > math.MaxInt32 {
		return nil, fmt.Errorf("%s is out of the range that a number of seconds may have", value.Value)
	}
	if whole*time.Second != d {
		c.note(value, fmt.Sprintf("%s becomes %d seconds: there is nothing between", value.Value, whole))
	}
	made := number(int64(whole))
	c.replace(value, made)
	return made, nil
}

// replace puts a new node in place of an old one, with its line and its comments.
func (c *conversion) replace(old, made *yaml.Node) {
	made.Line, made.Column = old.Line, old.Column
	made.HeadComment, made.LineComment, made.FootComment = old.HeadComment, old.LineComment, old.FootComment
	c.paths[made] = c.paths[old]
}
