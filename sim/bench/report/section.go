package report

import (
	"fmt"
	"strings"
)

// replace puts text between the markers of a section. They are those of the sections that tests keep up to date,
// whose package is for tests alone.
func replace(page, section, text string) (string, error) {
	begin, end := "<!-- table: "+section+" -->\n", "<!-- end -->"
	before, rest, begun := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		return "", fmt.Errorf("it needs the lines %s and %s", strings.TrimSpace(begin), end)
	}
	return before + begin + text + end + after, nil
}
