package targets

import "strings"

// cut returns the beginning of a text that somebody else wrote.
func cut(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
