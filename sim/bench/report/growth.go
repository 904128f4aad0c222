package report

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// growth draws how a measure grows with the machines of one cluster, a line for each subject.
func growth(m result.Measure) func(*plot.Plot, result.Report) (bool, error) {
	return func(p *plot.Plot, r result.Report) (bool, error) {
		fleets := slices.DeleteFunc(compared(r, m), func(f result.Fleet) bool { return f.Clusters != 1 })
		if len(fleets) == 0 {
			return false, nil
		}
		lines := collect(r, m, fleets)
		var values []float64
		for _, one := range lines {
			values = append(values, one.values...)
		}
		info, _ := result.Describe(m)
		onAxis := logarithmic(p, info.Unit, values)
		p.Add(grid())
		for _, one := range lines {
			if err := one.draw(p, fleets, onAxis); err != nil {
				return false, err
			}
		}
		sizes(p, fleets)
		return true, nil
	}
}

func (m medians) draw(p *plot.Plot, fleets []result.Fleet, onAxis func(float64) float64) error {
	var points plotter.XYs
	for i, at := range m.at {
		points = append(points, plotter.XY{X: float64(fleets[at].Size()), Y: onAxis(m.values[i])})
	}
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = hue(m.subject), vg.Points(2)
	dots.GlyphStyle = draw.GlyphStyle{Color: hue(m.subject), Radius: vg.Points(4), Shape: draw.CircleGlyph{}}
	p.Add(line, dots)
	p.Legend.Add(name(m.subject), line, dots)
	return nil
}

// sizes labels the horizontal axis with the machines of fleets, with some room at both ends.
func sizes(p *plot.Plot, fleets []result.Fleet) {
	var ticks []plot.Tick
	for _, f := range fleets {
		ticks = append(ticks, plot.Tick{Value: float64(f.Size()), Label: grouped(float64(f.Size()))})
	}
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.ConstantTicks(ticks)
	p.X.Min, p.X.Max = ticks[0].Value/2, ticks[len(ticks)-1].Value*2
	p.X.Label.Text = "machines of one cluster"
}

// resident draws the memory of the process, in MiB: a bar for each subject above each fleet.
func resident(p *plot.Plot, r result.Report) (bool, error) {
	fleets := compared(r, result.Memory)
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
