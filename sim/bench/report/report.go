// Package report presents the results of a benchmark: tables in Markdown, and plots in SVG.
package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// The places of a report in the documentation directory.
const (
	page    = "benchmarks.md"
	plots   = "benchmarks"
	section = "benchmarks"
)

// Text renders a report for a terminal: its tables, and a comparison with an earlier version if there is one.
func Text(r result.Report) string { return markdown(r, nil) + comparison(r) }

// Write writes the tables of a report into their section of benchmarks.md in a directory, and its plots into
// benchmarks beside it. It removes plots for which the report has no figures.
func Write(dir string, r result.Report) error {
	drawn, err := drawAll(r)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, page)
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the page for the report: %w", err)
	}
	text, err := replace(string(old), section, markdown(r, drawn))
	if err != nil {
		return fmt.Errorf("writing the report into %s: %w", path, err)
	}
	if err := writePlots(filepath.Join(dir, plots), drawn); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func writePlots(dir string, drawn []drawing) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making a directory for plots: %w", err)
	}
	for _, chart := range charts() {
		if err := os.Remove(filepath.Join(dir, chart.name+".svg")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing a plot: %w", err)
		}
	}
	for _, plot := range drawn {
		if err := os.WriteFile(filepath.Join(dir, plot.name+".svg"), plot.svg, 0o644); err != nil {
			return fmt.Errorf("writing a plot: %w", err)
		}
	}
	return nil
}

// replace puts text between the markers of a section. The markers are the same as in sections that tests keep up
// to date, but the package for those is only for tests.
func replace(page, section, text string) (string, error) {
	begin, end := "<!-- table: "+section+" -->\n", "<!-- end -->"
	before, rest, begun := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		return "", fmt.Errorf("it needs the lines %s and %s", strings.TrimSpace(begin), end)
	}
	return before + begin + text + end + after, nil
}
