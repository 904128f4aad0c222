package explore

import (
	"github.com/sickbay-dev/sickbay/internal/bundle"
	"github.com/sickbay-dev/sickbay/internal/explain"
)

// bundleEvery is how many looks go by until one is bundled, as that takes several times as long.
const bundleEvery = 16

// replays writes now and then a bundle of what explain says about each machine, and of each record, and judges it again.
func (w *world) replays(facts explain.Facts) {
	if w.rests++; w.rests%bundleEvery != 0 {
		return
	}
	var asked []bundle.Asked
	for _, m := range facts.Machines {
		asked = append(asked, bundle.Asked{Kind: "machine", Name: m.Machine.Name})
	}
	for _, r := range facts.Records {
		asked = append(asked, bundle.Asked{Kind: "mr", Name: r.Record.Name})
	}
	for _, one := range asked {
		if err := w.replaysOne(facts, one); err != "" {
			w.fail(ruleForetold, "a bundle of %s %s is judged otherwise: %s", one.Kind, one.Name, err)
			return
		}
	}
}

// replaysOne says what is wrong with a bundle, and with one whose names are others; empty if nothing is.
func (w *world) replaysOne(facts explain.Facts, asked bundle.Asked) string {
	b, err := bundle.Collect(w.ctx, w.onlooker(), "", asked, "", scheme)
	if err != nil {
		return err.Error()
	}
	if !b.SameDecision(facts.Of(asked.Kind, asked.Name)) {
		return "it does not say what explain says"
	}
	if _, err := b.Redact(w.ctx, scheme); err != nil {
		return err.Error()
	}
	return ""
}
