package result

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// reports draws valid reports.
func reports(t *rapid.T) Report {
	var measures []Measure
	for _, about := range All() {
		measures = append(measures, about.Measure)
	}
	figure := rapid.Custom(func(t *rapid.T) Figure {
		return Figure{
			Measure: rapid.SampledFrom(measures).Draw(t, "measure"),
			Fleet:   Fleet{Clusters: rapid.IntRange(1, 100).Draw(t, "clusters"), Machines: rapid.IntRange(1, 9999).Draw(t, "machines")},
			Subject: rapid.SampledFrom(Subjects()).Draw(t, "subject"),
			Values:  rapid.SliceOfN(rapid.Float64Range(0, math.MaxFloat64), 1, 5).Draw(t, "values"),
		}
	})
	return Report{
		Time:     time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "time"), 0).UTC(),
		Machine:  Machine{CPU: rapid.String().Draw(t, "cpu"), Cores: rapid.IntRange(1, 99).Draw(t, "cores")},
		Versions: map[string]string{"go": rapid.StringMatching("[0-9.]+").Draw(t, "version")},
		Quick:    rapid.Bool().Draw(t, "quick"),
		Figures:  rapid.SliceOfNDistinct(figure, 1, 20, func(f Figure) string { return f.String() }).Draw(t, "figures"),
	}
}

// TestFile: Load returns what Save wrote.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	rapid.Check(t, func(t *rapid.T) {
		report := reports(t)
		if err := report.Save(path); err != nil {
			t.Fatal(err)
		}
		got, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(report, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestBadFiles(t *testing.T) {
	const before, figure = `{"time":"2026-11-21T10:00:00Z","figures":[`, `{"measure":"memory","fleet":{"clusters":1,"machines":9},"subject":"floor","values":[1]}`
	tests := map[string]struct{ text, want string }{
		"nothing":         {"", "EOF"},
		"not JSON":        {"x", "invalid character 'x'"},
		"cut off":         {before, "unexpected EOF"},
		"another field":   {`{"tyme":""}`, `unknown field "tyme"`},
		"more":            {before + figure + `]}{}`, "there is more after the report"},
		"no time":         {`{}`, "it has no time"},
		"other measure":   {before + strings.Replace(figure, "memory", "speed", 1) + `]}`, "speed of floor at 1x9: nobody knows this measure"},
		"other subject":   {before + strings.Replace(figure, "floor", "roof", 1) + `]}`, "memory of roof at 1x9: nobody knows this subject"},
		"empty fleet":     {before + strings.Replace(figure, "9", "0", 1) + `]}`, "memory of floor at 1x0: the fleet is empty"},
		"no values":       {before + strings.Replace(figure, "[1]", "[]", 1) + `]}`, "memory of floor at 1x9: it has no values"},
		"negative value":  {before + strings.Replace(figure, "[1]", "[1,-2]", 1) + `]}`, "memory of floor at 1x9: -2 is no value"},
		"the same, twice": {before + figure + "," + figure + `]}`, "memory of floor at 1x9: it is there twice"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "bad.json")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Load(path)
			if err == nil || !strings.HasPrefix(err.Error(), "reading report "+path+": ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, and not about %q", err, tt.want)
			}
		})
	}
}

// TestSaveKeeps: Save writes even an invalid report.
func TestSaveKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	err := Report{Machine: Machine{CPU: "slow"}}.Save(path)
	if err == nil || !strings.Contains(err.Error(), "is not valid: it has no time") {
		t.Errorf("the error is %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "slow") {
		t.Errorf("the file is %s, %v", data, err)
	}
	if err := (Report{}).Save(filepath.Join(path, "below")); err == nil || !strings.HasPrefix(err.Error(), "writing report: ") {
		t.Errorf("the error is %v", err)
	}
	if _, err := Load(path + "x"); err == nil || !strings.HasPrefix(err.Error(), "reading report: ") {
		t.Errorf("the error is %v", err)
	}
}
