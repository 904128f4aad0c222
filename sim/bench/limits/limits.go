// Package limits checks measured figures of Sickbay against limits.
//
// A limit is a ratio of two figures of one run, or a plain count. There are none for times or bytes, because those
// differ between machines. All limits are in one file, each with the value measured when it was set and the reason for
// it.
package limits

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// Limit is one limit.
type Limit struct {
	Measure result.Measure `json:"measure"`
	// Fleet is a fleet, as in 1x10000, or Any: each fleet for which Sickbay has a figure.
	Fleet string `json:"fleet"`
	// Against is the figure to compare with. Without it, the limit is for a count.
	Against *Against `json:"against,omitempty"`
	// Most is the greatest ratio of medians, or the greatest count in any round.
	Most *Number `json:"most"`
	// FullOnly excludes the limit from short runs.
	FullOnly bool `json:"fullOnly,omitempty"`

	// Measured and Why are for readers: the mean when the limit was set, and the reason for it.
	Measured *Number `json:"measured,omitempty"`
	Why      string  `json:"why"`
}

// Any stands for each fleet.
const Any = "any"

// Against identifies a figure by how it differs from the limited one. Empty fields are the same.
type Against struct {
	// Subject is Sickbay if it is empty.
	Subject result.Subject `json:"subject,omitempty"`
	Measure result.Measure `json:"measure,omitempty"`
	Fleet   string         `json:"fleet,omitempty"`
}

// Load reads and validates limits from a file.
func Load(path string) ([]Limit, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading limits: %w", err)
	}
	all, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("reading limits %s: %w", path, err)
	}
	return all, nil
}

// Parse parses and validates limits.
func Parse(data []byte) ([]Limit, error) {
	var file struct {
		Limits []Limit `json:"limits"`
	}
	if err := yaml.UnmarshalStrict(data, &file); err != nil {
		// The error may have several lines.
		return nil, errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	return file.Limits, validate(file.Limits)
}
