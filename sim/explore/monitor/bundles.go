package monitor

import (
	"github.com/sickbay-dev/sickbay/internal/bundle"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// bundleEvery is how many looks pass between two bundles, because a bundle takes several times as long. In a world with a long
// history, a bundle has at most mostBundles machines and records, different ones each time.
const (
	bundleEvery = 16
	mostBundles = 2
)

// checkBundles sometimes writes a bundle of what explain says about machines and records, and judges it again.
func (m *Monitor) checkBundles(facts explain.Facts) {
	if m.rests++; m.rests%bundleEvery != 0 {
		return
	}
	var asked []bundle.Asked
	for _, m := range facts.Machines {
		asked = append(asked, bundle.Asked{Kind: "machine", Name: m.Machine.Name})
	}
	for _, r := range facts.Records {
		asked = append(asked, bundle.Asked{Kind: "mr", Name: r.Record.Name})
	}
	for i := range min(len(asked), mostBundles) {
		one := asked[(m.rests/bundleEvery*mostBundles+i)%len(asked)]
		if err := m.checkBundle(facts, one); err != "" {
			m.w.Fail(rules.Predicted, "a bundle of %s %s is judged otherwise: %s", one.Kind, one.Name, err)
			return
		}
	}
}

// checkBundle returns what is wrong with a bundle, and with its anonymized version; empty if nothing is.
func (m *Monitor) checkBundle(facts explain.Facts, asked bundle.Asked) string {
	b, err := bundle.Collect(m.w.Ctx, m.w.Outside(), "", asked, "", kinds.Scheme)
	if err != nil {
		return err.Error()
	}
	if !b.SameDecision(facts.Of(asked.Kind, asked.Name)) {
		return "it does not say what explain says"
	}
	if _, err := b.Redact(m.w.Ctx, kinds.Scheme); err != nil {
		return err.Error()
	}
	return ""
}
