package monitor

import (
	"github.com/sickbay-dev/sickbay/internal/bundle"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// bundleEvery is how many looks there are for one at which a bundle is written, because a bundle takes several times as long.
const bundleEvery = 64

// oneIn reports whether to check at this look what is checked at one in so many. The number of writes is part of the choice, so
// a short history has its turn, too.
func (m *Monitor) oneIn(looks int) bool { return (m.rests+int(m.w.Server.Version()))%looks == 0 }

// checkBundles sometimes writes a bundle of what explain says about a machine or a record, another each time, and judges it again.
func (m *Monitor) checkBundles(facts explain.Facts) {
	if m.rests++; !m.oneIn(bundleEvery) {
		return
	}
	var asked []bundle.Asked
	for _, m := range facts.Machines {
		asked = append(asked, bundle.Asked{Kind: "machine", Name: m.Machine.Name})
	}
	for _, r := range facts.Records {
		asked = append(asked, bundle.Asked{Kind: "mr", Name: r.Record.Name})
	}
	if len(asked) == 0 {
		return
	}
	one := asked[m.rests%len(asked)]
	if err := m.checkBundle(facts, one); err != "" {
		m.w.Fail(rules.Predicted, "a bundle of %s %s is judged otherwise: %s", one.Kind, one.Name, err)
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
