package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// Limit bounds a figure of Sickbay: its ratio to another figure of the same run, or a plain count. There are no limits for times
// or bytes, because those differ between machines.
type Limit struct {
	Measure Measure `json:"measure"`
	// Fleet is a fleet, as in 1x10000, or anyFleet.
	Fleet string `json:"fleet"`
	// Against is the figure to compare with. Without it, the limit is for a count.
	Against *against `json:"against,omitempty"`
	// Most is the greatest ratio of medians, or the greatest count in any round.
	Most *number `json:"most"`
	// FullOnly excludes the limit from short runs.
	FullOnly bool `json:"fullOnly,omitempty"`

	// Measured and Why are for readers: the mean when the limit was set, and the reason for it.
	Measured *number `json:"measured,omitempty"`
	Why      string  `json:"why"`
}

// anyFleet stands for each fleet for which Sickbay has a figure.
const anyFleet = "any"

// against identifies a figure by how it differs from the limited one. Empty fields are the same.
type against struct {
	// Subject is Sickbay if it is empty.
	Subject Subject `json:"subject,omitempty"`
	Measure Measure `json:"measure,omitempty"`
	Fleet   string  `json:"fleet,omitempty"`
}

// number may be written as a fraction, as in 1/20.
type number float64

// UnmarshalJSON decodes a number, or a string with one.
func (n *number) UnmarshalJSON(data []byte) error {
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
	if errA != nil || errB != nil || !isValue(value) {
		return fmt.Errorf("%s is not a number such as 3, 1.5 or 1/20", text)
	}
	*n = number(value)
	return nil
}

// isValue reports whether a number is finite and not negative. NaN fails both comparisons.
func isValue(n float64) bool { return n >= 0 && n <= math.MaxFloat64 }

// LoadLimits reads and validates limits from a file.
func LoadLimits(path string) ([]Limit, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading limits: %w", err)
	}
	all, err := parseLimits(data)
	if err != nil {
		return nil, fmt.Errorf("reading limits %s: %w", path, err)
	}
	return all, nil
}

func parseLimits(data []byte) ([]Limit, error) {
	var file struct {
		Limits []Limit `json:"limits"`
	}
	if err := yaml.UnmarshalStrict(data, &file); err != nil {
		// The error may have several lines.
		return nil, errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	return file.Limits, validateLimits(file.Limits)
}
