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
		fleets := slices.DeleteFunc(having(r, m), func(f result.Fleet) bool { return f.Clusters != 1 })
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
