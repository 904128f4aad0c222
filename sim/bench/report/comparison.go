package report

import (
	"fmt"
	"strings"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// Comparison shows the figures beside those of an earlier version. It is empty if there are
// none.
func Comparison(r result.Report) string {
	var text strings.Builder
	for _, fleet := range r.Fleets() {
		for _, about := range result.All() {
			now, found := r.Find(about.Measure, fleet, result.Sickbay)
			before, foundBefore := r.Find(about.Measure, fleet, result.Previous)
			if !found || !foundBefore {
				continue
			}
			times := none
			if before.Median() > 0 {
				times = fmt.Sprintf("%.2f", now.Median()/before.Median())
			}
			fmt.Fprintf(&text, "%-8s  %-28s  %10.4g  before %10.4g  times %s\n", fleet, about.Title, now.Median(), before.Median(), times)
		}
	}
	return text.String()
}
