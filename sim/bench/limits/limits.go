// Package limits says what the measured figures of Sickbay must be within.
//
// A limit is a ratio of two figures of one run, or a plain count. There is none for a time or for bytes, as those
// differ from machine to machine. All limits stand in one file, each with what was measured when it was set, and why it
// is as it is.
package limits

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// Limit is one of them.
type Limit struct {
	Measure result.Measure `json:"measure"`
	// Fleet is one, as in 1x10000, or Any, which is each fleet of which there is a figure of Sickbay.
	Fleet string `json:"fleet"`
	// Against is the figure to compare with. A limit without is a count.
	Against *Against `json:"against,omitempty"`
	// Most is the greatest ratio, of medians, or the greatest count, of any round.
	Most *Number `json:"most"`
	// FullOnly limits are not for short runs.
	FullOnly bool `json:"fullOnly,omitempty"`

	// Measured and Why are for readers: the mean when the limit was set, and where it comes from.
	Measured *Number `json:"measured,omitempty"`
	Why      string  `json:"why"`
}

// Any stands for each fleet.
const Any = "any"

// Against is a figure by what sets it apart from the one that is limited. What is left out is the same.
type Against struct {
	// Subject is Sickbay itself if it is left out.
	Subject result.Subject `json:"subject,omitempty"`
	Measure result.Measure `json:"measure,omitempty"`
	Fleet   string         `json:"fleet,omitempty"`
}

// Load reads limits from a file. They are valid.
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

// Parse reads limits. They are valid.
func Parse(data []byte) ([]Limit, error) {
	var file struct {
		Limits []Limit `json:"limits"`
	}
	if err := yaml.UnmarshalStrict(data, &file); err != nil {
		// It may have several lines.
		return nil, errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	return file.Limits, validate(file.Limits)
}
