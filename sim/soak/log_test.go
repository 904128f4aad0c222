package soak

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReader(t *testing.T) {
	for name, tc := range map[string]struct {
		written, want []string
	}{
		"nothing":         {[]string{"all is well\n", "as ever\n"}, nil},
		"a panic":         {[]string{"well\nOh: panic: no\nwell\n"}, []string{"The log of Sickbay shows a bug, the first of 1 lines: Oh: panic: no"}},
		"in two pieces":   {[]string{"WARNING: DATA", " RACE\n", "panic\n"}, []string{"The log of Sickbay shows a bug, the first of 2 lines: WARNING: DATA RACE"}},
		"over two lines":  {[]string{"DATA\n RACE\n"}, nil},
		"an address of 0": {[]string{"invalid memory address or nil pointer dereference\n"}, []string{"The log of Sickbay shows a bug, the first of 1 lines: invalid memory address or nil pointer dereference"}},
	} {
		t.Run(name, func(t *testing.T) {
			passed := &strings.Builder{}
			r := &reader{to: passed}
			for _, piece := range tc.written {
				fmt.Fprint(r, piece)
			}
			if diff := cmp.Diff(tc.want, r.violations()); diff != "" {
				t.Error(diff)
			}
			if passed.String() != strings.Join(tc.written, "") {
				t.Errorf("passed on %q", passed)
			}
		})
	}
}
