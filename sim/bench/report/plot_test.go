package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

func TestDraw(t *testing.T) {
	texts := map[string][]string{
		"verdict":    {"Sickbay", "Upstream", "Upstream, unlimited", "Verdict, p50", "Verdict, p99", "10 ms", "100 s", "1 × 100", "1 × 10,000", "100 × 100"},
		"storm":      {"Sickbay", "Upstream", "Storm, last mark", "1 × 10,000", "10 s", "100 s"},
		"heartbeats": {"Sickbay", "Upstream", "Floor", "100", "10,000", "10 ms", "10 s", "machines of one cluster"},
		"memory":     {"Sickbay", "Upstream", "MiB", "0", "1 × 100", "100 × 100"},
	}
	drawn, err := drawAll(full())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, plot := range drawn {
		names = append(names, plot.name)
		written := wellFormed(t, plot)
		for _, text := range append(texts[plot.name], plot.title) {
			if !slices.Contains(written, text) {
				t.Errorf("plot %s does not say %q, but %q", plot.name, text, written)
			}
		}
		if !bytes.Contains(plot.svg, []byte("fill:#FFFFFF")) {
			t.Errorf("plot %s has no background", plot.name)
		}
	}
	if diff := cmp.Diff([]string{"verdict", "storm", "heartbeats", "memory"}, names); diff != "" {
		t.Errorf("plots (-want +got):\n%s", diff)
	}
}

// wellFormed returns the texts of a plot.
func wellFormed(t interface {
	Helper()
	Fatalf(string, ...any)
}, plot drawing) []string {
	t.Helper()
	if len(plot.svg) > 100_000 {
		t.Fatalf("plot %s has %d bytes", plot.name, len(plot.svg))
	}
	var texts []string
	decoder := xml.NewDecoder(bytes.NewReader(plot.svg))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("plot %s: %v", plot.name, err)
		}
		if text, ok := token.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" {
			texts = append(texts, string(text))
		}
	}
}

// TestDrawAnything: any figures can be drawn. Two runs give the same bytes, and no coordinate is NaN or infinite.
func TestDrawAnything(t *testing.T) {
	var measures []result.Measure
	for _, about := range result.All() {
		measures = append(measures, about.Measure)
	}
	figures := rapid.Custom(func(t *rapid.T) result.Figure {
		value := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1e-9, 1e12))
		return result.Figure{
			Measure: rapid.SampledFrom(measures).Draw(t, "measure"),
			Fleet:   result.Fleet{Clusters: rapid.SampledFrom([]int{1, 100}).Draw(t, "clusters"), Machines: rapid.SampledFrom([]int{1, 100, 10000}).Draw(t, "machines")},
			Subject: rapid.SampledFrom(result.Subjects()).Draw(t, "subject"),
			Values:  rapid.SliceOfN(value, 1, 3).Draw(t, "values"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		report := result.Report{Time: time.Unix(1, 0), Figures: rapid.SliceOfNDistinct(figures, 0, 40, result.Figure.String).Draw(t, "figures")}
		first, err := drawAll(report)
		if err != nil {
			t.Fatal(err)
		}
		for _, plot := range first {
			wellFormed(t, plot)
			if bytes.Contains(plot.svg, []byte("NaN")) || bytes.Contains(plot.svg, []byte("Inf")) {
				t.Fatalf("plot %s has a number that is none", plot.name)
			}
		}
		slices.Reverse(report.Figures)
		second, err := drawAll(report)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, second, cmp.AllowUnexported(drawing{})); diff != "" {
			t.Fatalf("the second time (-first +second):\n%s", diff)
		}
	})
}
