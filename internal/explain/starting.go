package explain

import (
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/internal/hangs"
)

// tellStart adds which stages of its start a machine without a Node has not passed, in the words of its own conditions.
func (m *Machine) tellStart(p *Page, now time.Time) {
	if m.verdict().Status == "True" {
		return
	}
	for _, says := range hangs.Start(m.Machine) {
		text := says.Words()
		if !says.Since.IsZero() {
			text = strings.Replace(text, says.Type+" is "+says.Status, says.Type+" is "+says.Status+" since "+Clock(says.Since, now), 1)
		}
		p.row("Stage", text)
	}
	if m.sick() && hangs.WaitsForNode(m.Machine) {
		p.row("You can", hangs.InWorkload(m.Machine, "Compare it with the provider IDs of the Nodes that have joined",
			"kubectl get nodes -o custom-columns=NAME:.metadata.name,ID:.spec.providerID"))
	}
}

// withStage adds to what is said about a machine which stage of its start hangs, in the words of its own conditions.
func (m *Machine) withStage(text string) string {
	if says := hangs.StartWords(m.Machine); says != "" {
		return text + ". " + says
	}
	return text
}

// addStarting lists a machine that waits for its Node, and says which stage it has not passed.
func (p *Fleet) addStarting(item Item, m *Machine, now time.Time) {
	if says := hangs.StartWords(m.Machine); says != "" {
		p.Starting = append(p.Starting, item.says("no Node for "+ago(m.Machine.CreationTimestamp.Time, now)+". "+says))
	}
}
