package result

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Text formats a report in Go's format for benchmarks: what it is about, and a line for each value.
func (r Report) Text() string {
	var text strings.Builder
	for _, keyword := range slices.Sorted(maps.Keys(r.About)) {
		fmt.Fprintf(&text, "%s: %s\n", keyword, r.About[keyword])
	}
	text.WriteString("\n")
	for _, k := range r.keys() {
		for _, value := range r.Figures[k] {
			fmt.Fprintf(&text, "BenchmarkFleet/fleet=%s/measure=%s/subject=%s 1 %v %s\n", k.Fleet, k.Measure, k.Subject, value, k.Measure.Unit())
		}
	}
	return text.String()
}

// Load reads a report from files that have what Text formats. The values of a figure that several files have add up.
func Load(paths ...string) (Report, error) {
	r := NewReport()
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return r, fmt.Errorf("reading figures: %w", err)
		}
		number := 0
		for line := range strings.Lines(string(data)) {
			number++
			if err := r.read(strings.TrimSuffix(line, "\n")); err != nil {
				return r, fmt.Errorf("reading figures: %s:%d: %w", path, number, err)
			}
		}
	}
	return r, nil
}

var (
	about  = regexp.MustCompile(`^([a-z][a-z-]*): (.*)$`)
	figure = regexp.MustCompile(`^BenchmarkFleet/fleet=(\S+)/measure=(\S+)/subject=(\S+) 1 (\S+) \S+$`)
)

// read reads a line.
func (r Report) read(line string) error {
	if line == "" {
		return nil
	}
	if match := about.FindStringSubmatch(line); match != nil {
		r.About[match[1]] = match[2]
		return nil
	}
	match := figure.FindStringSubmatch(line)
	if match == nil {
		return fmt.Errorf("%q is not a figure", line)
	}
	fleet, err := ParseFleet(match[1])
	if err != nil {
		return err
	}
	value, err := strconv.ParseFloat(match[4], 64)
	// NaN fails both comparisons.
	if err != nil || !(value >= 0 && value <= math.MaxFloat64) {
		return fmt.Errorf("%q is not a value", match[4])
	}
	k := Key{Measure(match[2]), fleet, Subject(match[3])}
	r.Figures[k] = append(r.Figures[k], value)
	return nil
}

// Table formats the medians for people, with bytes in MiB. In parentheses is how many times that amount Sickbay needs.
func (r Report) Table() string {
	rows := r.keys()
	for i := range rows {
		rows[i].Subject = ""
	}
	var text strings.Builder
	fmt.Fprint(&text, "| fleet | measure | sickbay | previous | upstream | floor |\n| --- | --- | ---: | ---: | ---: | ---: |\n")
	for _, row := range slices.Compact(rows) {
		fmt.Fprintf(&text, "| %s | %s |", row.Fleet, row.Measure)
		for _, row.Subject = range Subjects() {
			fmt.Fprintf(&text, " %s |", r.cell(row))
		}
		fmt.Fprintln(&text)
	}
	return text.String()
}

func (r Report) cell(k Key) string {
	values, own := r.Figures[k], r.Figures[Key{k.Measure, k.Fleet, Sickbay}]
	if len(values) == 0 {
		return "-"
	}
	median := Median(values)
	size := 1.0
	if k.Measure.Unit() == Bytes {
		size = 1 << 20
	}
	cell := strconv.FormatFloat(median/size, 'g', 4, 64)
	if k.Subject != Sickbay && len(own) > 0 && median > 0 {
		cell += fmt.Sprintf(" (%.3g)", Median(own)/median)
	}
	return cell
}
