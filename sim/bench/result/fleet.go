package result

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Fleet is the clusters to keep healthy: some of one size, and optionally a large one beside them, each with one MachineHealthCheck.
type Fleet struct {
	Clusters int `json:"clusters"`
	// Machines is the number of machines in each cluster.
	Machines int `json:"machines"`
	// Large is the number of machines in the large cluster; 0 if there is none.
	Large int `json:"large,omitempty"`
}

// The fleets that are measured, and for which there are goals.
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

// Fleets returns the fleets that have figures, those with fewer clusters and machines first.
func (r Report) Fleets() []Fleet {
	var fleets []Fleet
	for _, figure := range r.Figures {
		if !slices.Contains(fleets, figure.Fleet) {
			fleets = append(fleets, figure.Fleet)
		}
	}
	slices.SortFunc(fleets, func(a, b Fleet) int {
		return cmp.Or(cmp.Compare(a.Clusters, b.Clusters), cmp.Compare(a.Machines, b.Machines), cmp.Compare(a.Large, b.Large))
	})
	return fleets
}
