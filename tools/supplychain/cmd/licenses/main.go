// Command licenses checks the licenses of this repository's dependencies, and writes the notices for the binary.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// allowed are the licenses of code that may be part of what users run. They only require their text and the names of the authors, which
// the notices contain. Programs that only tests run are not checked: they are not distributed.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

// systems are the operating systems of the binary.
var systems = []string{"linux", "darwin", "windows"}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "licenses: %v\n", err)
		os.Exit(1)
	}
}

// options holds the flags.
type options struct {
	root, binary, notices string
	write                 bool
	// libraries are the directories of the modules that users import.
	libraries []string
}

func parse(args []string) (options, error) {
	set, o := flag.NewFlagSet("licenses", flag.ContinueOnError), options{}
	libraries := ""
	set.StringVar(&o.root, "root", ".", "Directory of the binary's module.")
	set.StringVar(&o.binary, "binary", "", "Package of the binary.")
	set.StringVar(&o.notices, "notices", "", "File with the notices for the binary.")
	set.BoolVar(&o.write, "write", false, "Write the notices.")
	set.StringVar(&libraries, "libraries", "", "Directories of the modules that users import, separated by commas.")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	o.libraries = strings.FieldsFunc(libraries, func(r rune) bool { return r == ',' })
	if o.binary == "" || o.notices == "" {
		return o, errors.New("-binary and -notices must be set")
	}
	return o, nil
}

func run(args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	linked, err := modules(o.root, []string{o.binary}, systems...)
	if err != nil {
		return err
	}
	problems := refused(linked)
	fmt.Fprintf(out, "%d modules are in the binary: %s\n", len(linked), summary(linked))
	for _, dir := range o.libraries {
		packages, err := given(dir)
		if err != nil {
			return err
		}
		all, err := modules(dir, packages, "")
		if err != nil {
			return err
		}
		problems = append(problems, refused(all)...)
		fmt.Fprintf(out, "%d modules are used in %s: %s\n", len(all), dir, summary(all))
	}
	if len(problems) > 0 {
		return errors.New(strings.Join(slices.Compact(slices.Sorted(slices.Values(problems))), "\n"))
	}
	return settle(o, linked)
}

// settle writes the notices, or checks that they are up to date.
func settle(o options, linked []*module) error {
	text, err := notices(linked)
	if err != nil {
		return err
	}
	if o.write {
		return os.WriteFile(o.notices, text, 0o644)
	}
	if stored, err := os.ReadFile(o.notices); err != nil || string(stored) != string(text) {
		return fmt.Errorf("%s is out of date: run make licenses LICENSES=-write", o.notices)
	}
	return nil
}

// refused lists what is wrong with the licenses of modules.
func refused(all []*module) (problems []string) {
	for _, m := range all {
		if len(m.licenses()) == 0 {
			problems = append(problems, fmt.Sprintf("%s: no license was found in %s", m.path, strings.Join(slices.Sorted(maps.Keys(m.files)), ", ")))
		}
		for _, id := range m.licenses() {
			if !slices.Contains(allowed, id) {
				problems = append(problems, fmt.Sprintf("%s: its license %s is not one of %s", m.path, id, strings.Join(allowed, ", ")))
			}
		}
	}
	return problems
}

// summary counts modules by license.
func summary(all []*module) string {
	counts := map[string]int{}
	for _, m := range all {
		counts[strings.Join(m.licenses(), " and ")]++
	}
	var parts []string
	for _, license := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[license], license))
	}
	return strings.Join(parts, ", ")
}
