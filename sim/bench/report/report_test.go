package report

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// full returns a report with figures of each kind, with gaps.
func full() result.Report {
	r := result.Report{
		Time:     time.Date(2026, 11, 21, 23, 30, 0, 0, time.FixedZone("", -3600)),
		Machine:  result.Machine{CPU: "Some | CPU\n", Cores: 2, Memory: 8 << 30},
		Versions: map[string]string{"Sickbay": "v0.1.0", "Cluster API": "v1.14.2", "Go": "1.26"},
	}
	add := func(m result.Measure, f result.Fleet, s result.Subject, values ...float64) {
		r.Figures = append(r.Figures, result.Figure{Measure: m, Fleet: f, Subject: s, Values: values})
	}
	for i, f := range []result.Fleet{result.Many, result.Large, result.Small} {
		grown := float64(i + 1)
		add(result.Memory, f, result.Sickbay, 5e6*grown, 6e6, 5.5e6)
		add(result.Memory, f, result.Upstream, 2e7*grown, 2.5e7, 2.1e7)
		add(result.VerdictMax, f, result.Sickbay, 0.5*grown, 0.6, 0.7)
		add(result.VerdictP50, f, result.Sickbay, 0.01*grown, 0.02, 0.03)
		add(result.VerdictP50, f, result.Upstream, 7, 8, 9)
		add(result.VerdictP99, f, result.Sickbay, 0.2, 0.3, 0.1*grown)
		add(result.VerdictP99, f, result.Upstream, 15*grown, 14, 16)
		add(result.VerdictP99, f, result.Unlimited, 1, 2, 3*grown)
		add(result.HeartbeatCPU, f, result.Sickbay, 0.06, 0.061, 0.0599)
		add(result.HeartbeatCPU, f, result.Upstream, 1*grown, 2*grown, 3*grown)
		add(result.HeartbeatCPU, f, result.Floor, 0.05, 0.05, 0.05)
	}
	add(result.IdleWrites, result.Large, result.Sickbay, 0, 0, 0)
	add(result.IdleWrites, result.Large, result.Upstream, 0, 0, 0)
	add(result.StormMark, result.Large, result.Sickbay, 0)
	add(result.StormMark, result.Large, result.Upstream, 30)
	add(result.HangVerdict(1), result.Many, result.Unlimited, 1)
	add(result.HangVerdict(3), result.Many, result.Unlimited, 1)
	add(result.Requests(result.AtRest, "GET"), result.Large, result.Sickbay, 30, 36, 30)
	add(result.Requests(result.AtRest, "PUT"), result.Large, result.Sickbay, 0, 0, 0)
	add(result.Requests(result.Storm, "PATCH"), result.Large, result.Upstream, 0, 1.5, 0)
	add(result.Requests(result.Storm, "PATCH"), result.Large, result.Unlimited, 2, 2, 2)
	return r
}

func TestMarkdown(t *testing.T) {
	quick := result.Report{Time: time.Unix(0, 0), Quick: true, Figures: []result.Figure{
		{Measure: result.Failover, Fleet: result.Small, Subject: result.Sickbay, Values: []float64{2}},
	}}
	tests := map[string]result.Report{"full": full(), "quick": quick, "empty": {Time: time.Unix(0, 0)}}
	for name, report := range tests {
		t.Run(name, func(t *testing.T) {
			drawn, err := drawAll(report)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+".md", markdown(report, drawn))
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s, which -update writes (-want +got):\n%s", path, diff)
	}
}
