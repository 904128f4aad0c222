package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// resident draws the memory of the process, in MiB: a bar for each subject above each fleet.
func resident(p *plot.Plot, r result.Report) (bool, error) {
	fleets := having(r, result.Memory)
	if len(fleets) == 0 {
		return false, nil
	}
	categories(p, fleets)
	p.Add(grid())
	for _, one := range collect(r, result.Memory, fleets) {
		for i, at := range one.at {
			one.values[i] = memory(fleets[at], one.values[i])
		}
		if err := one.bars(p); err != nil {
			return false, err
		}
	}
	p.X.Min, p.X.Max = -0.5, float64(len(fleets))-0.5
	p.Y.Min, p.Y.Max, p.Y.Label.Text = 0, max(p.Y.Max*1.05, 1), "MiB"
	return true, nil
}

// memory returns the memory for a whole fleet, from that for 1,000 machines.
func memory(f result.Fleet, perThousand float64) float64 {
	return perThousand * float64(f.Size()) / 1000
}

// bars draws the bars one by one, because some fleets may have none.
func (m medians) bars(p *plot.Plot) error {
	const mebibyte = 1 << 20
	for i, at := range m.at {
		bar, err := plotter.NewBarChart(plotter.Values{m.values[i] / mebibyte}, vg.Points(16))
		if err != nil {
			return err
		}
		bar.XMin, bar.Color = float64(at)+beside(m.subject), hue(m.subject)
		bar.LineStyle.Width = 0
		p.Add(bar)
		if i == 0 {
			p.Legend.Add(name(m.subject), bar)
		}
	}
	return nil
}
