package report

import (
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// TestVerdicts: a value that equals its goal reaches it, and goals without a measurement are left out.
func TestVerdicts(t *testing.T) {
	var r result.Report
	add := func(m result.Measure, f result.Fleet, s result.Subject, values ...float64) {
		r.Figures = append(r.Figures, result.Figure{Measure: m, Fleet: f, Subject: s, Values: values})
	}
	add(result.StormMark, result.Large, result.Sickbay, 2, 3, 4)
	add(result.StormMark, result.Large, result.Floor, 2)
	add(result.OutageCPU, result.Large, result.Sickbay, 0.25)
	add(result.Memory, result.Huge, result.Sickbay, 40<<20)
	add(result.Memory, result.Large, result.Sickbay, 51)
	add(result.Memory, result.Large, result.Upstream, 100)
	add(result.HeartbeatCPU, result.Large, result.Sickbay, 1.3)
	add(result.HeartbeatCPU, result.Middle, result.Sickbay, 1)
	add(result.RemedyWrites, result.Small, result.Sickbay, 2, 6.5, 2)
	add(result.RemedyWrites, result.Large, result.Sickbay, 2)
	add(result.RemedyRequests, result.Large, result.Sickbay, 12)
	add(result.IdleWrites, result.Large, result.Sickbay, 0)
	add(result.HangVerdict(8), result.Many, result.Sickbay, 1.5)
	add(result.HangVerdict(0), result.Many, result.Sickbay, 1)
	add(result.HangMark(8), result.Many, result.Sickbay, 9)
	want := strings.TrimLeft(`
| | Goal | Measured | Reached |
| --- | --- | ---: | --- |
| Storm of 1,000 in 10,000 machines, last mark | at most 1.3 times the floor | 1.5 | **no** |
| Heartbeats, CPU, 10,000 machines | the same as with 1,000 machines (1.25 times at most) | 1.3 | **no** |
| Writes at rest, any fleet | none | 0 | yes |
| Writes for a remedy, any fleet | at most 6 | 6.5 | **no** |
| Requests for a remedy, any fleet | at most 12, those that read and events included | 12 | yes |
| Memory, 10,000 machines | at most half of upstream | 1/2 | **no** |
| A cluster of 10,000 machines hangs, CPU in a minute | under 1 s | 250 ms | yes |
| 8 hanging of 100 clusters, p99 in the others | verdict as without (1.5 times at most) | 1.5 | yes |
| 100,000 machines in one process | memory under 4 GiB | 3.91 GiB | yes |
`, "\n")
	if got := verdicts(r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := verdicts(result.Report{}); got != "" {
		t.Errorf("of nothing it says\n%s", got)
	}
}
