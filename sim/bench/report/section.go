package report

import (
	"fmt"
	"strings"
)

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
