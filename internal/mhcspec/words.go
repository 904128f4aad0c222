package mhcspec

import (
	"strconv"
	"strings"
)

// cut returns the beginning of a text that somebody else wrote.
func cut(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// Quoted prints a value that somebody else wrote, and of a long one the beginning.
func Quoted(value string) string { return strconv.Quote(cut(value)) }
