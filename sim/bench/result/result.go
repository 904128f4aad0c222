// Package result holds the results of a benchmark as plain data. They are stored as JSON, and tables, plots and limits
// are computed from them.
package result

import (
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

// Fleet is the clusters to keep healthy: some of one size, and optionally a large one beside them, each with one
// MachineHealthCheck.
type Fleet struct {
	Clusters int `json:"clusters"`
	// Machines is the number of machines in each cluster.
	Machines int `json:"machines"`
	// Large is the number of machines in the large cluster; 0 if there is none.
	Large int `json:"large,omitempty"`
}

// Size returns the number of all machines.
func (f Fleet) Size() int { return f.Clusters*f.Machines + f.Large }

// Largest returns the number of machines in the largest cluster.
func (f Fleet) Largest() int { return max(f.Machines, f.Large) }

// Figure is one measure of one subject with one fleet.
type Figure struct {
	Measure Measure `json:"measure"`
	Fleet   Fleet   `json:"fleet"`
	Subject Subject `json:"subject"`
	// Values are the values of the rounds, at least one, in the unit of the measure.
	Values []float64 `json:"values"`
}

// Min returns the least value.
func (f Figure) Min() float64 { return slices.Min(f.Values) }

// Max returns the greatest value.
func (f Figure) Max() float64 { return slices.Max(f.Values) }

// Median returns the middle value, or the mean of the two middle ones.
func (f Figure) Median() float64 {
	sorted := slices.Sorted(slices.Values(f.Values))
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

// Find returns the figure of a measure, and whether it exists.
func (r Report) Find(m Measure, f Fleet, s Subject) (Figure, bool) {
	i := slices.IndexFunc(r.Figures, func(figure Figure) bool {
		return figure.Measure == m && figure.Fleet == f && figure.Subject == s
	})
	if i < 0 {
		return Figure{}, false
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

// Has reports whether there is any figure of a subject.
func (r Report) Has(s Subject) bool {
	return slices.ContainsFunc(r.Figures, func(figure Figure) bool { return figure.Subject == s })
}

// Ratio returns the ratio of the medians of two subjects, and whether both were measured and the second is not zero.
func (r Report) Ratio(m Measure, f Fleet, of, to Subject) (float64, bool) {
	a, foundA := r.Find(m, f, of)
	b, foundB := r.Find(m, f, to)
	if !foundA || !foundB || b.Median() == 0 {
		return 0, false
	}
	return a.Median() / b.Median(), true
}
