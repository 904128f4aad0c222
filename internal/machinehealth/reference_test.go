package machinehealth

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestReference . -update

const referenceFile = "../../docs/reference.md"

func TestReferenceMachineEvents(t *testing.T) {
	table := [][]string{{"reason", "meaning"}}
	for _, c := range docs.Constants(t, "events.go", "Event", map[string]string{"EventUnhealthy": EventUnhealthy, "EventHealthy": EventHealthy}) {
		table = append(table, []string{docs.Code(c.Value), c.Meaning})
	}
	docs.Section(t, referenceFile, "machine events", docs.Table(table...))
}
