package ownwrites

import "strings"

// maxNote is the maximum length of an event's note, in bytes. The API server refuses an event whose note is longer, and then
// nobody sees it.
const maxNote = 1024

// Note returns the note of an event, shortened if necessary.
func Note(text string) string { return Shortened(text, maxNote) }

// Shortened cuts a text to a number of bytes.
func Shortened(text string, most int) string {
	const ellipsis = "..."
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len(ellipsis)], "") + ellipsis
}
