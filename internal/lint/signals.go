package lint

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// usualHeartbeat is how often kubelets and the node-problem-detector renew the heartbeat of a condition that does not change.
const usualHeartbeat = 5 * time.Minute

// signals finds settings about conditions of Nodes that change nothing, or that silence healthy detectors.
func (l *linter) signals(c *check) {
	all, err := mhcspec.Signals(&c.mhc)
	if err != nil {
		return // it is an error already
	}
	rules := mhcspec.RulesOf(&c.mhc).NodeConditions
	for _, conditionType := range slices.Sorted(maps.Keys(all)) {
		warn := func(message string) {
			l.add(c.find(Warning, fieldAnnotation(mhcspec.SignalsAnnotation), conditionType+message))
		}
		if !slices.ContainsFunc(rules, func(rule mhcspec.ConditionRule) bool { return rule.Type == conditionType }) {
			warn(" is in no rule about Nodes: its settings change nothing")
		}
		if after := all[conditionType].SilentAfter; after > 0 && after <= usualHeartbeat {
			warn(fmt.Sprintf(": silentAfter is %s, and detectors usually send a heartbeat only every %s: healthy ones count as silent", after, usualHeartbeat))
		}
	}
}
