package report

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// spread draws some delays of each subject for each fleet, with a line from the least to the greatest.
func spread(measures []result.Measure) func(*plot.Plot, result.Report) (bool, error) {
	return func(p *plot.Plot, r result.Report) (bool, error) {
		fleets := compared(r, measures...)
		if len(fleets) == 0 {
			return false, nil
		}
		columns := stacks(r, fleets, measures)
		var values []float64
		for _, column := range columns {
			for _, point := range column.points {
				values = append(values, point.Y)
			}
		}
		info, _ := result.Describe(measures[0])
		onAxis := logarithmic(p, info.Unit, values)
		p.Add(grid())
		named := map[result.Subject]bool{}
		for _, column := range columns {
			for i := range column.points {
				column.points[i].Y = onAxis(column.points[i].Y)
			}
			line, err := column.draw(p)
			if err != nil {
				return false, err
			}
			if !named[column.subject] {
				p.Legend.Add(name(column.subject), line)
				named[column.subject] = true
			}
		}
		for i, measure := range measures {
			info, _ := result.Describe(measure)
			p.Legend.Add(info.Title, &plotter.Scatter{GlyphStyle: glyph(i, color.Black)})
		}
		categories(p, fleets)
		return true, nil
	}
}

// column is the points of a subject for a fleet, with their measures.
type column struct {
	subject  result.Subject
	points   plotter.XYs
	measures []int
}

// stacks returns the columns of all subjects, one subject after the other.
func stacks(r result.Report, fleets []result.Fleet, measures []result.Measure) []column {
	var columns []column
	for _, subject := range result.Subjects() {
		for i, fleet := range fleets {
			one := column{subject: subject}
			for j, measure := range measures {
				if value, found := r.Median(measure, fleet, subject); found {
					one.points = append(one.points, plotter.XY{X: float64(i) + beside(subject), Y: value})
					one.measures = append(one.measures, j)
				}
			}
			if len(one.points) > 0 {
				columns = append(columns, one)
			}
		}
	}
	return columns
}

// draw draws the column, and returns its line for the legend. The points are above each other, so one line connects them.
func (c column) draw(p *plot.Plot) (*plotter.Line, error) {
	line, err := plotter.NewLine(c.points)
	if err != nil {
		return nil, err
	}
	line.Color, line.Width = hue(c.subject), vg.Points(2)
	points, err := plotter.NewScatter(c.points)
	if err != nil {
		return nil, err
	}
	points.GlyphStyleFunc = func(i int) draw.GlyphStyle { return glyph(c.measures[i], hue(c.subject)) }
	p.Add(line, points)
	return line, nil
}

// glyph returns a different shape for each measure.
func glyph(i int, of color.Color) draw.GlyphStyle {
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}}
	return draw.GlyphStyle{Color: of, Radius: vg.Points(4), Shape: shapes[i%len(shapes)]}
}
