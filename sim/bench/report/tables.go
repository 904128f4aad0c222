package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// table renders the figures of one fleet. It leaves out measures without any.
func table(r result.Report, f result.Fleet) string {
	rows := [][]string{
		{"min / median / max", "Sickbay", "Upstream", "Ratio to upstream", "to upstream, unlimited", "to the floor"},
		{"---", "---:", "---:", "---:", "---:", "---:"},
	}
	for _, about := range result.All() {
		if row := cells(r, f, about.Measure, about.Info); row != nil {
			rows = append(rows, row)
		}
	}
	var text strings.Builder
	for _, row := range rows {
		text.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	return text.String()
}

// cells returns nothing for a measure without figures.
func cells(r result.Report, f result.Fleet, m result.Measure, info result.Info) []string {
	row := []string{info.Title}
	for _, subject := range []result.Subject{result.Sickbay, result.Upstream} {
		cell := none
		if figure, found := r.Find(m, f, subject); found {
			cell = amounts(info.Unit, figure.Min(), figure.Median(), figure.Max())
		}
		row = append(row, cell)
	}
	for _, to := range []result.Subject{result.Upstream, result.Unlimited, result.Floor} {
		cell := none
		if times, ok := r.Ratio(m, f, result.Sickbay, to); ok {
			cell = ratio(times)
		}
		row = append(row, cell)
	}
	if !slices.ContainsFunc(row[1:], func(cell string) bool { return cell != none }) {
		return nil
	}
	return row
}

// requests renders the medians of the requests by verb; nothing if they were not counted. It leaves out unused verbs.
func requests(r result.Report, f result.Fleet) string {
	titles := map[result.Phase]string{
		result.AtRest: "at rest, in a minute", result.Remedy: "for a remedy, from the deadline on", result.Storm: "in a storm, for each sick machine",
	}
	var text strings.Builder
	for _, phase := range result.Phases() {
		for _, verb := range result.Verbs() {
			row, used := []string{verb + " " + titles[phase]}, false
			for _, subject := range []result.Subject{result.Sickbay, result.Upstream, result.Unlimited} {
				cell := none
				if figure, found := r.Find(result.Requests(phase, verb), f, subject); found {
					cell, used = amounts("1", figure.Median()), used || figure.Max() > 0
				}
				row = append(row, cell)
			}
			if used {
				fmt.Fprintf(&text, "| %s |\n", strings.Join(row, " | "))
			}
		}
	}
	if text.Len() == 0 {
		return ""
	}
	return "\n| Requests | Sickbay | Upstream | Upstream, unlimited |\n| --- | ---: | ---: | ---: |\n" + text.String()
}

// verdicts renders which goals were reached; nothing if none of them was measured.
func verdicts(r result.Report) string {
	var text strings.Builder
	of := ""
	for _, g := range goals() {
		if g.of != "" {
			of = g.of
		}
		value, measured := g.value(r)
		if !measured {
			continue
		}
		reached := "yes"
		if value > g.most {
			reached = "**no**"
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", of, g.sentence, g.amount(value), reached)
		of = ""
	}
	if text.Len() == 0 {
		return ""
	}
	return "| | Goal | Measured | Reached |\n| --- | --- | ---: | --- |\n" + text.String()
}

func (g goal) amount(value float64) string {
	if g.unit == times {
		return ratio(value)
	}
	return amounts(g.unit, value)
}

// comparison shows the figures beside those of an earlier version. It is empty if there are none.
func comparison(r result.Report) string {
	var text strings.Builder
	for _, fleet := range r.Fleets() {
		for _, about := range result.All() {
			now, found := r.Median(about.Measure, fleet, result.Sickbay)
			before, foundBefore := r.Median(about.Measure, fleet, result.Previous)
			if !found || !foundBefore {
				continue
			}
			times := none
			if before > 0 {
				times = fmt.Sprintf("%.2f", now/before)
			}
			fmt.Fprintf(&text, "%-8s  %-28s  %10.4g  before %10.4g  times %s\n", fleet, about.Title, now, before, times)
		}
	}
	return text.String()
}
