package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// requests renders how many requests there were with each verb, as medians; nothing where they were not counted. A verb of
// which nobody made use is left out.
func requests(r result.Report, f result.Fleet) string {
	titles := map[result.Phase]string{
		result.AtRest: "at rest, in a minute", result.Remedy: "for a remedy, from the deadline on", result.Storm: "in a storm, for each sick machine",
	}
	subjects := []result.Subject{result.Sickbay, result.Upstream, result.Unlimited}
	var text strings.Builder
	for _, phase := range result.Phases() {
		for _, verb := range result.Verbs() {
			row, used := []string{verb + " " + titles[phase]}, false
			for _, subject := range subjects {
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
	head := slices.Concat([]string{"Requests"}, names(subjects))
	return "\n| " + strings.Join(head, " | ") + " |\n| ---" + strings.Repeat(" | ---:", len(subjects)) + " |\n" + text.String()
}

func names(subjects []result.Subject) []string {
	all := make([]string, len(subjects))
	for i, s := range subjects {
		all[i] = name(s)
	}
	return all
}
