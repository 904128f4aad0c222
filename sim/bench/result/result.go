// Package result is what a benchmark has measured, as plain data: it is written and read as JSON, and all that is
// said about it, tables, plots and limits, is made of it.
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
	// Unlimited is the same without its limit of one run in 15 seconds.
	Unlimited Subject = "upstream-unlimited"
	// Previous is the manager of an earlier version, if there is one to compare with.
	Previous Subject = "previous"
	// Floor decodes the same watch streams with client-go, and does nothing with them.
	Floor Subject = "floor"
)

// Fleet is what was to be kept healthy: some clusters of one size, and maybe a large one beside them, each with one
// MachineHealthCheck.
type Fleet struct {
	Clusters int `json:"clusters"`
	// Machines are those of each cluster.
	Machines int `json:"machines"`
	// Large are those of the large cluster; 0 if there is none.
	Large int `json:"large,omitempty"`
}

// Size is the number of all machines.
func (f Fleet) Size() int { return f.Clusters*f.Machines + f.Large }

// Largest is the number of machines in the largest cluster.
func (f Fleet) Largest() int { return max(f.Machines, f.Large) }

// Figure is one measure of one subject with one fleet.
type Figure struct {
	Measure Measure `json:"measure"`
	Fleet   Fleet   `json:"fleet"`
	Subject Subject `json:"subject"`
	// Values are those of the rounds, in the unit of the measure. There is at least one.
	Values []float64 `json:"values"`
}

// Min returns the least value.
func (f Figure) Min() float64 { return slices.Min(f.Values) }

// Max returns the greatest value.
func (f Figure) Max() float64 { return slices.Max(f.Values) }

// Median returns the value in the middle; of two in the middle, the mean.
func (f Figure) Median() float64 {
	sorted := slices.Sorted(slices.Values(f.Values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Report is all of one run.
type Report struct {
	Time    time.Time `json:"time"`
	Machine Machine   `json:"machine"`
	// Versions are those of the subjects and of what is around them, by name.
	Versions map[string]string `json:"versions"`
	// Quick tells that it was a short run.
	Quick   bool     `json:"quick"`
	Figures []Figure `json:"figures"`
}

// Machine is what it ran on.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memoryBytes"`
}

// Find returns the figure of a measure, and whether there is one.
func (r Report) Find(m Measure, f Fleet, s Subject) (Figure, bool) {
	i := slices.IndexFunc(r.Figures, func(figure Figure) bool {
		return figure.Measure == m && figure.Fleet == f && figure.Subject == s
	})
	if i < 0 {
		return Figure{}, false
	}
	return r.Figures[i], true
}

// Join returns one report of two: figures that both have are those of the later one, and so is the machine.
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

// Ratio returns how many times the median of one subject is that of another, and whether both were measured, the other
// one not as zero.
func (r Report) Ratio(m Measure, f Fleet, of, to Subject) (float64, bool) {
	a, foundA := r.Find(m, f, of)
	b, foundB := r.Find(m, f, to)
	if !foundA || !foundB || b.Median() == 0 {
		return 0, false
	}
	return a.Median() / b.Median(), true
}
