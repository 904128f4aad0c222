package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// TestWrite: a second report replaces the first, including its plots, and leaves the rest of the page as it is.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "benchmarks.md")
	const before, after = "# Page\n\n<!-- table: benchmarks -->\n", "<!-- end -->\n\nMore.\n"
	if err := os.WriteFile(path, []byte(before+"old\n"+after), 0o600); err != nil {
		t.Fatal(err)
	}
	less := full()
	less.Figures = less.Figures[:1]
	for _, report := range []result.Report{full(), less, less} {
		if err := Write(dir, report); err != nil {
			t.Fatal(err)
		}
		drawn, err := drawAll(report)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before+markdown(report, drawn)+after, string(data)); diff != "" {
			t.Errorf("the page (-want +got):\n%s", diff)
		}
		want, got := map[string]string{}, map[string]string{}
		for _, plot := range drawn {
			want[plot.name+".svg"] = string(plot.svg)
		}
		entries, err := os.ReadDir(filepath.Join(dir, "benchmarks"))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			svg, err := os.ReadFile(filepath.Join(dir, "benchmarks", entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			got[entry.Name()] = string(svg)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the plots (-want +got):\n%s", diff)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, full()); err == nil || !strings.HasPrefix(err.Error(), "reading the page for the report: ") {
		t.Errorf("without a page the error is %v", err)
	}
	for _, text := range []string{"# Page\n", "<!-- table: benchmarks -->\n", "<!-- end -->\n<!-- table: benchmarks -->\n", "<!-- table: other -->\n<!-- end -->\n"} {
		if err := os.WriteFile(filepath.Join(dir, "benchmarks.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := Write(dir, full())
		if err == nil || !strings.Contains(err.Error(), "it needs the lines <!-- table: benchmarks --> and <!-- end -->") {
			t.Errorf("with the page %q the error is %v", text, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "benchmarks")); err == nil {
			t.Errorf("with the page %q there are plots", text)
		}
	}
}
