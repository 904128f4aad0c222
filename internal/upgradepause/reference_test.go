package upgradepause

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestReference . -update

func TestReferenceUpgradeEvents(t *testing.T) {
	onSignal := map[string]bool{EventUnreadable: true, EventReadable: true}
	table := [][]string{{"on", "reason", "meaning"}}
	for _, c := range docs.Constants(t, "events.go", "Event", map[string]string{
		"EventPaused":     EventPaused,
		"EventSettling":   EventSettling,
		"EventResumed":    EventResumed,
		"EventOverridden": EventOverridden,
		"EventTooLong":    EventTooLong,
		"EventUnreadable": EventUnreadable,
		"EventReadable":   EventReadable,
	}) {
		on := "MachineHealthCheck"
		if onSignal[c.Value] {
			on = "ClusterVersion, MachineConfigPool, Cluster"
		}
		table = append(table, []string{on, docs.Code(c.Value), c.Meaning})
	}
	docs.Section(t, "../../docs/reference.md", "upgrade events", docs.Table(table...))
}
