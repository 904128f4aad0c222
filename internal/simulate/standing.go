package simulate

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// standing describes a health check at the beginning, in the words of explain.
func (s *Scene) standing(c *check) Check {
	c.share(s)
	page := &explain.Check{MachineHealthCheck: c.mhc, Facts: c.facts, Decision: admission.Decide(c.facts, s.now), Foreign: c.foreign}
	page.Nothing = page.SelectsNothing(s.fleet)
	one := Check{
		Namespace: c.mhc.Namespace, Cluster: c.cluster.Name, Name: c.mhc.Name, Change: c.change, Machines: len(c.machines),
		Selector: metav1.FormatLabelSelector(&c.mhc.Spec.Selector), Nothing: page.Nothing,
	}
	c.decision = page.Decision
	facts := explain.Facts{Now: s.now}
	shown := facts.CheckPage(page)
	one.Headline = shown.Headline
	for _, row := range shown.Rows {
		switch row.Label {
		case "Gate":
			one.Gate, _, _ = strings.Cut(row.Text, "; ")
		case "Slots":
			one.Slots = row.Text
		case "Plan":
			one.Plan = row.Text
		case "Overlap":
			one.Overlap = row.Text
		}
	}
	c.shown.gate = ""
	if page.Decision.Stopped.Reason != "" {
		c.shown.gate = page.Decision.Stopped.Message
	} else if !page.Decision.Allowed && len(page.Decision.Paused) == 0 {
		c.shown.gate = "closed"
	}
	return one
}
