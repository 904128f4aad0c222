package report

import (
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
