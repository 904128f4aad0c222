// Package docs keeps the documentation in step with the code.
//
// It is part of internal/testing. A test renders a table from values that the code computed, and Section
// compares it with the documentation between two markers:
//
//	<!-- table: verdicts -->
//	<!-- end -->
//
// With the flag -update, the test writes the table there instead. A test file that renders tables has a directive
// for go generate, so make generate updates the documentation.
package docs

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write rendered sections into the documentation instead of comparing them")

const endMarker = "<!-- end -->"

// Section asserts that the named section of a file has this text. The path is relative to the package under
// test. Several packages may have sections in one file: go generate runs them one after the other.
func Section(t testing.TB, file, name, text string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("reading the documentation: %v", err)
	}
	marker := "<!-- table: " + name + " -->\n"
	before, rest, found := strings.Cut(string(data), marker)
	got, after, ended := strings.Cut(rest, endMarker)
	if !found || !ended {
		t.Fatalf("%s has no section %q: it needs the lines %s and %s", file, name, strings.TrimSpace(marker), endMarker)
	}
	diff := cmp.Diff(text, got)
	if diff == "" {
		return
	}
	if !*update {
		t.Fatalf("%s, section %q is not what the code says; make generate mends it (-code +documentation):\n%s", file, name, diff)
	}
	if err := os.WriteFile(file, []byte(before+marker+text+endMarker+after), 0o644); err != nil {
		t.Fatalf("writing the documentation: %v", err)
	}
}

// Table renders a Markdown table. The first row is the header.
func Table(rows ...[]string) string {
	var table strings.Builder
	for i, row := range rows {
		for _, cell := range row {
			table.WriteString("| " + escape(cell) + " ")
		}
		table.WriteString("|\n")
		if i == 0 {
			table.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return table.String()
}

func escape(cell string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(cell)
}

// Code marks text as code; an empty text stays empty.
func Code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
