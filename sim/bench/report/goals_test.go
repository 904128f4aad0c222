package report

import (
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// TestVerdicts: a goal that is reached to the digit is reached, and what was not measured is not said.
func TestVerdicts(t *testing.T) {
	var r result.Report
	add := func(m result.Measure, f result.Fleet, s result.Subject, values ...float64) {
		r.Figures = append(r.Figures, result.Figure{Measure: m, Fleet: f, Subject: s, Values: values})
	}
	add(result.StormMark, large, result.Sickbay, 2, 3, 4)
	add(result.StormMark, large, result.Upstream, 30)
	add(result.Memory, large, result.Sickbay, 51)
	add(result.Memory, large, result.Upstream, 100)
	add(result.HeartbeatCPU, large, result.Sickbay, 1.3)
	add(result.HeartbeatCPU, middle, result.Sickbay, 1)
	add(result.RemedyWrites, small, result.Sickbay, 2, 6.5, 2)
	add(result.RemedyWrites, large, result.Sickbay, 2)
	add(result.RemedyRequests, large, result.Sickbay, 12)
	add(result.IdleWrites, large, result.Sickbay, 0)
	add(result.HangP99, many, result.Sickbay, 1.5)
	add(result.VerdictP99, many, result.Sickbay, 1)
	want := strings.TrimLeft(`
| | Goal | Measured | Reached |
| --- | --- | ---: | --- |
| Storm of 1,000 in 10,000 machines, last mark | at most 1/10 of upstream | 1/10 | yes |
| Heartbeats, CPU, 10,000 machines | the same as with 1,000 machines (1.25 times at most) | 1.3 | **no** |
| Writes at rest, any fleet | none | 0 | yes |
| Writes for a remedy, any fleet | at most 6 | 6.5 | **no** |
| Requests for a remedy, any fleet | at most 12, those that read and events included | 12 | yes |
| Memory, 10,000 machines | at most half of upstream | 1/2 | **no** |
| One hanging cluster of 100, verdict p99 in the others | as without (1.5 times at most) | 1.5 | yes |
`, "\n")
	if got := verdicts(r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := verdicts(result.Report{}); got != "" {
		t.Errorf("of nothing it says\n%s", got)
	}
}
