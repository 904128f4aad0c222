package report

import (
	"fmt"
	"strings"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

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
