package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// bars draws a measure that is counted in bytes, in MiB: a bar for each subject above each fleet.
func bars(m result.Measure) func(*plot.Plot, result.Report) (bool, error) {
	return func(p *plot.Plot, r result.Report) (bool, error) {
		fleets := having(r, m)
		if len(fleets) == 0 {
			return false, nil
		}
		categories(p, fleets)
		p.Add(grid())
		for _, one := range collect(r, m, fleets) {
			if err := one.bars(p); err != nil {
				return false, err
			}
		}
		p.X.Min, p.X.Max = -0.5, float64(len(fleets))-0.5
		p.Y.Min, p.Y.Max, p.Y.Label.Text = 0, max(p.Y.Max*1.05, 1), "MiB"
		return true, nil
	}
}

// bars are drawn one by one, as some fleets may have none.
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
