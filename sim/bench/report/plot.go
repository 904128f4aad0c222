package report

import (
	"bytes"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// drawing is a finished plot. The same report gives the same bytes.
type drawing struct {
	name, title string
	svg         []byte
}

// chart is a plot to draw.
type chart struct {
	name, title string
	// draw reports whether there was anything to draw.
	draw func(*plot.Plot, result.Report) (bool, error)
}

// charts returns all charts.
func charts() []chart {
	delays := []result.Measure{result.VerdictP50, result.VerdictP99}
	marks := []result.Measure{result.MarkP50, result.MarkP99}
	return []chart{
		{"verdict", "Detection: from the deadline of a machine to its verdict", spread(delays)},
		{"mark", "Detection: from the deadline of a machine to the mark for its owner", spread(marks)},
		{"storm", "Storm: a tenth of the fleet falls sick at once", spread([]result.Measure{result.StormVerdict, result.StormMark})},
		{"heartbeats", "Heartbeats: processor time for 1,000 of them", growth(result.HeartbeatCPU)},
		{"memory", "Memory: resident set of the process", resident},
	}
}

// drawAll returns the plots for which a report has figures.
func drawAll(r result.Report) ([]drawing, error) {
	var drawn []drawing
	for _, chart := range charts() {
		p := plot.New()
		some, err := chart.draw(p, r)
		if err != nil {
			return nil, fmt.Errorf("drawing plot %s: %w", chart.name, err)
		}
		if !some {
			continue
		}
		p.Title.Text = chart.title
		svg, err := render(p)
		if err != nil {
			return nil, fmt.Errorf("drawing plot %s: %w", chart.name, err)
		}
		drawn = append(drawn, drawing{chart.name, chart.title, svg})
	}
	return drawn, nil
}

const width, height = 22 * vg.Centimeter, 10 * vg.Centimeter

// render returns the plot as an SVG file.
func render(p *plot.Plot) ([]byte, error) {
	canvas := vgsvg.New(width, height)
	layout(p, draw.New(canvas))
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return nil, err
	}
	// The font is not part of the file, and some machines do not have it. Arial has the same widths.
	const one, several = "font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;"
	return bytes.ReplaceAll(svg.Bytes(), []byte(one), []byte(several)), nil
}

// wider is how much wider a reader's font may be. DejaVu Sans, which Linux uses for Arial, is 1.2 times as wide.
const wider = 1.3

// layout draws the legend beside the plot, where it hides nothing, and everything on white, whatever the page's color.
func layout(p *plot.Plot, canvas draw.Canvas) {
	p.Title.Padding, p.Y.Label.Padding = 3*vg.Millimeter, vg.Millimeter
	for _, style := range []*font.Font{
		&p.Title.TextStyle.Font, &p.Legend.TextStyle.Font,
		&p.X.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Label.TextStyle.Font, &p.Y.Tick.Label.Font,
	} {
		style.Variant = "Sans"
	}
	legend := p.Legend
	legend.Top, legend.Left, legend.Padding = true, true, vg.Millimeter
	p.Legend = plot.NewLegend()
	side := legend.Rectangle(canvas).Size().X*wider + vg.Centimeter/2

	canvas.SetColor(color.White)
	canvas.Fill(canvas.Rectangle.Path())
	inner := draw.Crop(canvas, 2*vg.Millimeter, -2*vg.Millimeter, 2*vg.Millimeter, -2*vg.Millimeter)
	p.Draw(draw.Crop(inner, 0, -side, 0, 0))
	legend.Draw(draw.Crop(inner, width-side, 0, 0, -vg.Centimeter))
}

// hue returns a color for each subject that colour-blind people can distinguish, too.
func hue(s result.Subject) color.Color {
	return map[result.Subject]color.Color{
		result.Sickbay:   color.RGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff},
		result.Previous:  color.RGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff},
		result.Upstream:  color.RGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff},
		result.Unlimited: color.RGBA{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff},
		result.Floor:     color.RGBA{R: 0x80, G: 0x80, B: 0x80, A: 0xff},
	}[s]
}

// grid draws light lines under everything else.
func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = nil, color.Gray{Y: 0xdd}
	return g
}
