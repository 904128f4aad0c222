package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// logarithmic makes the vertical axis logarithmic for a unit: full decades around the values, each with a label. It
// returns the function that places a value: 0 has no place on such an axis, so it is drawn at the low end.
func logarithmic(p *plot.Plot, unit string, values []float64) func(float64) float64 {
	least, greatest := math.Inf(1), 0.0
	for _, value := range values {
		if value > 0 {
			least, greatest = min(least, value), max(greatest, value)
		}
	}
	if greatest == 0 {
		least, greatest = 1, 1
	}
	first, last := math.Floor(math.Log10(least)), math.Ceil(math.Log10(greatest))
	last = max(last, first+1)
	p.Y.Scale, p.Y.AutoRescale = plot.LogScale{}, false
	p.Y.Min, p.Y.Max = math.Pow(10, first), math.Pow(10, last)
	p.Y.Tick.Marker = plot.ConstantTicks(decades(int(first), int(last), unit))
	low := p.Y.Min
	return func(value float64) float64 { return max(value, low) }
}

// decades returns ticks with a label at each power of ten, and without labels in between.
func decades(first, last int, unit string) []plot.Tick {
	var ticks []plot.Tick
	for power := first; power <= last; power++ {
		at := math.Pow10(power)
		ticks = append(ticks, plot.Tick{Value: at, Label: amounts(unit, at)})
		for i := 2.0; i < 10 && power < last; i++ {
			ticks = append(ticks, plot.Tick{Value: i * at})
		}
	}
	return ticks
}

// medians is the medians of a measure of one subject with several fleets.
type medians struct {
	subject result.Subject
	// at are positions in the list of fleets.
	at     []int
	values []float64
}

// collect returns the medians of each subject that has any.
func collect(r result.Report, m result.Measure, fleets []result.Fleet) []medians {
	var all []medians
	for _, subject := range result.Subjects() {
		one := medians{subject: subject}
		for i, fleet := range fleets {
			if value, found := r.Median(m, fleet, subject); found {
				one.at, one.values = append(one.at, i), append(one.values, value)
			}
		}
		if len(one.at) > 0 {
			all = append(all, one)
		}
	}
	return all
}

// compared returns the fleets for which several subjects have a figure of the same measure. Tables show the others.
func compared(r result.Report, measures ...result.Measure) []result.Fleet {
	return slices.DeleteFunc(r.Fleets(), func(f result.Fleet) bool {
		return !slices.ContainsFunc(measures, func(m result.Measure) bool {
			subjects := 0
			for _, s := range result.Subjects() {
				if _, found := r.Find(m, f, s); found {
					subjects++
				}
			}
			return subjects > 1
		})
	})
}

// categories labels the horizontal axis with fleets, at 0, 1, and so on.
func categories(p *plot.Plot, fleets []result.Fleet) {
	var names []string
	for _, f := range fleets {
		one := fmt.Sprintf("%s × %s", grouped(float64(f.Clusters)), grouped(float64(f.Machines)))
		if f.Large > 0 {
			one += " + " + grouped(float64(f.Large))
		}
		names = append(names, one)
	}
	p.NominalX(names...)
	p.X.Label.Text = "clusters × machines"
	p.X.Min, p.X.Max = -0.5, float64(len(fleets))-0.5
}

// beside returns how far from the middle of its fleet a subject is drawn.
func beside(s result.Subject) float64 {
	return (float64(slices.Index(result.Subjects(), s)) - float64(len(result.Subjects())-1)/2) / float64(len(result.Subjects())+1)
}
