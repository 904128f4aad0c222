package mhcspec

import (
	"strconv"
	"strings"
)

// cut shortens a text that somebody else wrote, where the admission policies cut it, too.
func cut(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// Quoted quotes a value that somebody else wrote, shortened if it is long.
func Quoted(value string) string { return strconv.Quote(cut(value)) }
