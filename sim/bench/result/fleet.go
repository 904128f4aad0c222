package result

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// String writes a fleet as ParseFleet reads it.
func (f Fleet) String() string { return fmt.Sprintf("%dx%d", f.Clusters, f.Machines) }

// ParseFleet reads "100x50", which is 100 clusters of 50 machines.
func ParseFleet(text string) (Fleet, error) {
	clusters, machines, _ := strings.Cut(text, "x")
	c, errC := strconv.Atoi(clusters)
	m, errM := strconv.Atoi(machines)
	if errC != nil || errM != nil || c < 1 || m < 1 {
		return Fleet{}, fmt.Errorf("%q is not a fleet such as 1x1000, one cluster of 1000 machines", text)
	}
	return Fleet{Clusters: c, Machines: m}, nil
}

// Fleets returns the fleets of which a report has figures, those of fewer clusters and machines first.
func (r Report) Fleets() []Fleet {
	var fleets []Fleet
	for _, figure := range r.Figures {
		if !slices.Contains(fleets, figure.Fleet) {
			fleets = append(fleets, figure.Fleet)
		}
	}
	slices.SortFunc(fleets, func(a, b Fleet) int {
		return cmp.Or(cmp.Compare(a.Clusters, b.Clusters), cmp.Compare(a.Machines, b.Machines))
	})
	return fleets
}
