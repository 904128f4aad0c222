package result

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "figures.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// reports draws reports.
func reports(t *rapid.T) Report {
	key := rapid.Custom(func(t *rapid.T) Key {
		return Key{
			rapid.SampledFrom([]Measure{Memory, Start, HangMark(3), Requests("storm", "GET")}).Draw(t, "measure"),
			Fleet{rapid.IntRange(1, 100).Draw(t, "clusters"), rapid.IntRange(1, 9999).Draw(t, "machines"), rapid.IntRange(0, 9).Draw(t, "large")},
			rapid.SampledFrom(Subjects()).Draw(t, "subject"),
		}
	})
	return Report{
		About:   rapid.MapOf(rapid.StringMatching("[a-z][a-z-]*"), rapid.StringMatching("[^\n]*")).Draw(t, "about"),
		Figures: rapid.MapOf(key, rapid.SliceOfN(rapid.Float64Range(0, math.MaxFloat64), 1, 5)).Draw(t, "figures"),
	}
}

// TestFile: Load returns what Text formats, and twice as many values of two files.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "figures.txt")
	rapid.Check(t, func(t *rapid.T) {
		report := reports(t)
		if err := os.WriteFile(path, []byte(report.Text()), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(report, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		twice, err := Load(path, path)
		if err != nil {
			t.Fatal(err)
		}
		for k, values := range report.Figures {
			report.Figures[k] = append(values, values...)
		}
		if diff := cmp.Diff(report, twice); diff != "" {
			t.Fatalf("twice (-want +got):\n%s", diff)
		}
	})
}

// TestText: the format is that of Go's benchmarks, in display order.
func TestText(t *testing.T) {
	report := NewReport()
	report.About["cpu"] = "fast"
	report.SetQuick()
	report.Figures[Key{Memory, Large, Floor}] = []float64{1 << 20}
	report.Figures[Key{Memory, Large, Sickbay}] = []float64{3e6, 2}
	report.Figures[Key{Start, Small, Sickbay}] = []float64{0.25}
	want := `cpu: fast
quick: true

BenchmarkFleet/fleet=1x100/measure=start/subject=sickbay 1 0.25 sec
BenchmarkFleet/fleet=1x10000/measure=memory/subject=sickbay 1 3e+06 B
BenchmarkFleet/fleet=1x10000/measure=memory/subject=sickbay 1 2 B
BenchmarkFleet/fleet=1x10000/measure=memory/subject=floor 1 1.048576e+06 B
`
	if diff := cmp.Diff(want, report.Text()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBadFiles(t *testing.T) {
	const good = "BenchmarkFleet/fleet=1x9/measure=memory/subject=floor 1 7 B"
	tests := map[string]struct{ text, want string }{
		"no figure":  {good + "\n\nx\n", `:3: "x" is not a figure`},
		"cut off":    {strings.TrimSuffix(good, " 7 B"), ":1: "},
		"no fleet":   {strings.Replace(good, "1x9", "1x0", 1), `:1: "1x0" is not a fleet`},
		"no subject": {strings.Replace(good, "/subject=floor", "", 1), "is not a figure"},
		"no number":  {strings.Replace(good, "7", "much", 1), `:1: "much" is not a value`},
		"negative":   {strings.Replace(good, "7", "-7", 1), `"-7" is not a value`},
		"NaN":        {strings.Replace(good, "7", "NaN", 1), `"NaN" is not a value`},
		"infinite":   {strings.Replace(good, "7", "+Inf", 1), `"+Inf" is not a value`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := write(t, tt.text)
			if _, err := Load(path); err == nil || !strings.HasPrefix(err.Error(), "reading figures: "+path) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, and not about %q", err, tt.want)
			}
		})
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil || !strings.HasPrefix(err.Error(), "reading figures: ") {
		t.Errorf("the error is %v", err)
	}
}

func TestTable(t *testing.T) {
	report := NewReport()
	report.Figures[Key{Memory, Large, Sickbay}] = []float64{1 << 20, 3 << 20}
	report.Figures[Key{Memory, Large, Upstream}] = []float64{8 << 20}
	report.Figures[Key{IdleWrites, Large, Sickbay}] = []float64{0}
	report.Figures[Key{IdleWrites, Large, Upstream}] = []float64{0}
	report.Figures[Key{Start, Small, Floor}] = []float64{1.23456, 1, 9}
	want := `| fleet | measure | sickbay | previous | upstream | floor |
| --- | --- | ---: | ---: | ---: | ---: |
| 1x100 | start | - | - | - | 1.235 |
| 1x10000 | idle-writes | 0 | - | 0 | - |
| 1x10000 | memory | 2 | - | 8 (0.25) | - |
`
	if diff := cmp.Diff(want, report.Table()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
