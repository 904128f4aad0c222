package report

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// markdown renders a report, with its plots by their names.
func markdown(r result.Report, drawn []drawing) string {
	var text strings.Builder
	text.WriteString(head(r))
	if reached := verdicts(r); reached != "" {
		text.WriteString("\n### Goals\n\n" + reached)
	}
	for _, plot := range drawn {
		fmt.Fprintf(&text, "\n![%s](%s/%s.svg)\n", plot.title, plots, plot.name)
	}
	for _, f := range r.Fleets() {
		fmt.Fprintf(&text, "\n### %s\n\n%s", title(fleet(f)), table(r, f)+requests(r, f))
	}
	if len(r.Figures) > 0 {
		text.WriteString("\n### What the measures mean\n\n" + meanings(r))
	}
	return text.String()
}

// title capitalizes the first letter.
func title(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// head says when, where and with what versions the figures were measured.
func head(r result.Report) string {
	text := fmt.Sprintf("Measured on %s in %s, on %s with %d cores and %s of memory.\n",
		r.Time.UTC().Format("2006-01-02"), rounds(r), cmp.Or(line(r.Machine.CPU), "an unknown processor"), r.Machine.Cores, amounts("B", float64(r.Machine.Memory)))
	if r.Quick {
		text += "It was a short run: the figures say less than those of a full one.\n"
	}
	var versions []string
	for _, of := range slices.Sorted(maps.Keys(r.Versions)) {
		versions = append(versions, line(of)+" "+line(r.Versions[of]))
	}
	if len(versions) > 0 {
		text += "Versions: " + strings.Join(versions, ", ") + ".\n"
	}
	return text
}

// line makes text fit on one line of a table.
func line(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "|", `\|`)), " ")
}

// rounds says how many rounds there were, which may differ between figures.
func rounds(r result.Report) string {
	var counts []int
	for _, figure := range r.Figures {
		counts = append(counts, len(figure.Values))
	}
	if len(counts) == 0 {
		return "0 rounds"
	}
	least, most := slices.Min(counts), slices.Max(counts)
	if least != most {
		return fmt.Sprintf("%d to %d rounds", least, most)
	}
	if least == 1 {
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", least)
}

// hangingClusters is what distinguishes measures that mean the same.
var hangingClusters = regexp.MustCompile(`\d+ hanging`)

// meanings explains the measures that have a figure, and only once those that differ by how many clusters hang.
func meanings(r result.Report) string {
	var text strings.Builder
	explained := map[string]bool{}
	for _, about := range result.All() {
		if slices.ContainsFunc(r.Figures, func(f result.Figure) bool { return f.Measure == about.Measure }) {
			heading := hangingClusters.ReplaceAllString(about.Title, "N hanging")
			if !explained[heading] {
				fmt.Fprintf(&text, "- **%s**: %s\n", heading, about.Means)
			}
			explained[heading] = true
		}
	}
	return text.String()
}
