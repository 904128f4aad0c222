package main

import (
	"strings"
	"testing"
)

const want = `
               packages  most files  lines  tests/line  comments  file p50  p90  function p50  p90  over 60  types  exported  documented  imports
  internal/door         1           1     19        0.16      21 %        19   19             1    1        0      1         3        67 %        1
            lib         1           1      7        0.00       0 %         7    7             1    1        0      1         4         0 %        0
            all         2           1     26        0.12      15 %         7    7             1    1        0      2         7        29 %        1
`

// TestFigures measures a small tree that was counted by hand.
func TestFigures(t *testing.T) {
	files, err := read("testdata/tree")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := write(&got, files, room); err != nil {
		t.Fatal(err)
	}
	if fields(got.String()) != fields(want) {
		t.Errorf("the table is\n%s\nwant\n%s", got.String(), want)
	}
}

func fields(table string) string {
	return strings.Join(strings.Fields(table), " ")
}

// TestRun: what cannot be measured is an error.
func TestRun(t *testing.T) {
	if err := run("testdata/tree", "floor"); err == nil || !strings.Contains(err.Error(), "room or package") {
		t.Errorf("the error is %v", err)
	}
	if err := run("testdata/none", "room"); err == nil {
		t.Error("a directory that is not there has figures")
	}
}
