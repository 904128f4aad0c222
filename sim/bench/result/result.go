// Package result holds what a benchmark has measured, and checks it against limits. Its files have Go's format for benchmarks, which benchstat reads.
package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Subject is a program that was measured.
type Subject string

// The subjects.
const (
	// Sickbay is the manager with its defaults.
	Sickbay Subject = "sickbay"
	// Previous is the manager of an earlier version, if there is one to compare with.
	Previous Subject = "previous"
	// Upstream is Cluster API's own controller, as its users run it.
	Upstream Subject = "upstream"
	// Floor decodes the same watch streams with client-go, and does nothing with them.
	Floor Subject = "floor"
)

// Subjects returns all subjects in display order.
func Subjects() []Subject { return []Subject{Sickbay, Previous, Upstream, Floor} }

// Key names a figure: one measure of one subject with one fleet.
type Key struct {
	Measure Measure
	Fleet   Fleet
	Subject Subject
}

// String names a figure for use in a sentence.
func (k Key) String() string { return fmt.Sprintf("%s of %s at %s", k.Measure, k.Subject, k.Fleet) }

// Report is the result of one run.
type Report struct {
	// About says by keyword when and where it ran, and which versions.
	About map[string]string
	// Figures have the values of all rounds, at least one.
	Figures map[Key][]float64
}

// NewReport returns an empty report.
func NewReport() Report {
	return Report{About: map[string]string{}, Figures: map[Key][]float64{}}
}

// quick is the keyword of short runs.
const quick = "quick"

// SetQuick makes it the report of a short run.
func (r Report) SetQuick() { r.About[quick] = "true" }

// Quick reports whether the run was a short one.
func (r Report) Quick() bool { return r.About[quick] == "true" }

// keys returns the keys of all figures in display order: by fleet, then by measure.
func (r Report) keys() []Key {
	return slices.SortedFunc(maps.Keys(r.Figures), func(a, b Key) int {
		return cmp.Or(
			a.Fleet.compare(b.Fleet), cmp.Compare(a.Measure, b.Measure),
			cmp.Compare(slices.Index(Subjects(), a.Subject), slices.Index(Subjects(), b.Subject)), cmp.Compare(a.Subject, b.Subject),
		)
	})
}

// Median returns the middle one of some values, or the mean of the two middle ones.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Fleet is the clusters to keep healthy: some of one size, and optionally a large one beside them, each with one MachineHealthCheck.
type Fleet struct {
	Clusters int
	// Machines is the number of machines in each cluster.
	Machines int
	// Large is the number of machines in the large cluster; 0 if there is none.
	Large int
}

// The fleets that are measured, and for which there are limits.
var (
	Small  = Fleet{Clusters: 1, Machines: 100}
	Middle = Fleet{Clusters: 1, Machines: 1000}
	Large  = Fleet{Clusters: 1, Machines: 10_000}
	Few    = Fleet{Clusters: 10, Machines: 100}
	Many   = Fleet{Clusters: 100, Machines: 100}
	Mixed  = Fleet{Clusters: 10, Machines: 100, Large: 10_000}
	Huge   = Fleet{Clusters: 900, Machines: 100, Large: 10_000}
)

// Size returns the number of all machines.
func (f Fleet) Size() int { return f.Clusters*f.Machines + f.Large }

// Largest returns the number of machines in the largest cluster.
func (f Fleet) Largest() int { return max(f.Machines, f.Large) }

// compare puts fleets with fewer clusters and machines first.
func (f Fleet) compare(other Fleet) int {
	return cmp.Or(cmp.Compare(f.Clusters, other.Clusters), cmp.Compare(f.Machines, other.Machines), cmp.Compare(f.Large, other.Large))
}

// String formats a fleet as ParseFleet reads it.
func (f Fleet) String() string {
	text := fmt.Sprintf("%dx%d", f.Clusters, f.Machines)
	if f.Large > 0 {
		text += fmt.Sprintf("+%d", f.Large)
	}
	return text
}

// ParseFleet parses "100x50", which is 100 clusters of 50 machines, and "100x50+1000", which has one of 1,000 beside them.
func ParseFleet(text string) (Fleet, error) {
	small, large, mixed := strings.Cut(text, "+")
	clusters, machines, _ := strings.Cut(small, "x")
	c, errC := strconv.Atoi(clusters)
	m, errM := strconv.Atoi(machines)
	l, errL := 0, error(nil)
	if mixed {
		l, errL = strconv.Atoi(large)
	}
	if errC != nil || errM != nil || errL != nil || c < 1 || m < 1 || mixed && l < 1 {
		return Fleet{}, fmt.Errorf("%q is not a fleet such as 1x1000, one cluster of 1000 machines, or 9x100+1000, nine of 100 beside it", text)
	}
	return Fleet{Clusters: c, Machines: m, Large: l}, nil
}
