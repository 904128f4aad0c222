// Package result holds the results of a benchmark as plain data, and checks them against the limits in ../limits.yaml. They are
// stored as JSON, and package report makes tables and plots of them.
package result

import (
	"fmt"
	"slices"
	"time"
)

// Subject is a program that was measured.
type Subject string

// The subjects.
const (
	// Sickbay is the manager with its defaults.
	Sickbay Subject = "sickbay"
	// Upstream is Cluster API's own controller, as its users run it.
	Upstream Subject = "upstream"
	// Unlimited is upstream without its limit of one run in 15 seconds.
	Unlimited Subject = "upstream-unlimited"
	// Previous is the manager of an earlier version, if there is one to compare with.
	Previous Subject = "previous"
	// Floor decodes the same watch streams with client-go, and does nothing with them.
	Floor Subject = "floor"
)

// Subjects returns all subjects in display order.
func Subjects() []Subject { return []Subject{Sickbay, Previous, Upstream, Unlimited, Floor} }

// Figure is one measure of one subject with one fleet.
type Figure struct {
	Measure Measure `json:"measure"`
	Fleet   Fleet   `json:"fleet"`
	Subject Subject `json:"subject"`
	// Values are the values of the rounds, at least one, in the unit of the measure.
	Values []float64 `json:"values"`
}

// String names a figure for use in a sentence.
func (f Figure) String() string { return fmt.Sprintf("%s of %s at %s", f.Measure, f.Subject, f.Fleet) }

// Min returns the least value.
func (f Figure) Min() float64 { return slices.Min(f.Values) }

// Max returns the greatest value.
func (f Figure) Max() float64 { return slices.Max(f.Values) }

// Median returns the middle value, or the mean of the two middle ones.
func (f Figure) Median() float64 { return Median(f.Values) }

// Median returns the middle one of some values, or the mean of the two middle ones.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Report is the result of one run.
type Report struct {
	Time    time.Time `json:"time"`
	Machine Machine   `json:"machine"`
	// Versions are the versions of the subjects and of their environment, by name.
	Versions map[string]string `json:"versions"`
	// Quick is true for a short run.
	Quick   bool     `json:"quick"`
	Figures []Figure `json:"figures"`
}

// Machine is the computer that it ran on.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memoryBytes"`
}

// Find returns a figure, and whether it exists. If not, it has no values.
func (r Report) Find(m Measure, f Fleet, s Subject) (Figure, bool) {
	i := slices.IndexFunc(r.Figures, func(figure Figure) bool {
		return figure.Measure == m && figure.Fleet == f && figure.Subject == s
	})
	if i < 0 {
		return Figure{Measure: m, Fleet: f, Subject: s}, false
	}
	return r.Figures[i], true
}

// Join merges two reports: if both have a figure, the later one counts, and the machine is the later one's.
func (r Report) Join(later Report) Report {
	joined := later
	joined.Figures = slices.Clone(later.Figures)
	for _, figure := range r.Figures {
		if _, again := later.Find(figure.Measure, figure.Fleet, figure.Subject); !again {
			joined.Figures = append(joined.Figures, figure)
		}
	}
	return joined
}

// has reports whether there is any figure of a subject.
func (r Report) has(s Subject) bool {
	return slices.ContainsFunc(r.Figures, func(figure Figure) bool { return figure.Subject == s })
}

// Median returns the median of a figure, and whether the figure exists.
func (r Report) Median(m Measure, f Fleet, s Subject) (float64, bool) {
	figure, found := r.Find(m, f, s)
	if !found {
		return 0, false
	}
	return figure.Median(), true
}

// Ratio returns the ratio of the medians of two subjects, and whether both were measured and the second is not zero.
func (r Report) Ratio(m Measure, f Fleet, of, to Subject) (float64, bool) {
	a, foundA := r.Median(m, f, of)
	b, foundB := r.Median(m, f, to)
	if !foundA || !foundB || b == 0 {
		return 0, false
	}
	return a / b, true
}
