package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// sum has the figures of a room, a package or the whole repository.
type sum struct {
	packages                            map[string]int // their files without tests
	imports                             map[string]bool
	lines, tests, comments              int
	files, functions                    []int
	exported, documented, concepts, big int
}

// bigFunction is how many lines a function should have at most.
const bigFunction = 60

func (s *sum) add(f file, key func(string) string) {
	if s.packages == nil {
		s.packages, s.imports = map[string]int{}, map[string]bool{}
	}
	if f.test {
		s.tests += f.lines
		return
	}
	s.packages[f.dir]++
	s.lines += f.lines
	s.comments += f.comments
	s.files = append(s.files, f.lines)
	s.functions = append(s.functions, f.functions...)
	for _, lines := range f.functions {
		if lines > bigFunction {
			s.big++
		}
	}
	s.exported += f.exported
	s.documented += f.documented
	s.concepts += f.concepts
	for _, path := range f.imports {
		if other := key(path); other != key(f.dir) {
			s.imports[other] = true
		}
	}
}

const header = "\tpackages\tmost files\tlines\ttests/line\tcomments\tfile p50\tp90\tfunction p50\tp90\tover 60\ttypes\texported\tdocumented\timports\t\n"

func write(w io.Writer, files []file, key func(string) string) error {
	sums, all := map[string]*sum{}, &sum{}
	for _, f := range files {
		name := key(f.dir)
		if sums[name] == nil {
			sums[name] = &sum{}
		}
		sums[name].add(f, key)
		all.add(f, key)
	}
	all.imports = nil
	edges := 0
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if _, err := fmt.Fprint(table, header); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if sums[name].lines == 0 { // nothing but tests
			continue
		}
		edges += len(sums[name].imports)
		if err := sums[name].write(table, name, len(sums[name].imports)); err != nil {
			return err
		}
	}
	if err := all.write(table, "all", edges); err != nil {
		return err
	}
	return table.Flush()
}

func (s *sum) write(w io.Writer, name string, imports int) error {
	most := 0
	for _, files := range s.packages {
		most = max(most, files)
	}
	_, err := fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.2f\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%d\t\n", name, len(s.packages), most, s.lines, ratio(s.tests, s.lines),
		percent(s.comments, s.lines), at(s.files, 50), at(s.files, 90), at(s.functions, 50), at(s.functions, 90), s.big, s.concepts, s.exported,
		percent(s.documented, s.exported), imports)
	return err
}

func ratio(of, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(of) / float64(all)
}

func percent(of, all int) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*ratio(of, all))
}

// at returns the value that a percentage of all values do not exceed; 0 if there are none.
func at(values []int, percentile int) int {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[(len(values)-1)*percentile/100]
}
