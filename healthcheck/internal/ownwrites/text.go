// Code generated from internal/ownwrites/text.go by make generate. DO NOT EDIT.

package ownwrites

import "strings"

// maxNote is how long the note of an event may be, in bytes. An event whose note is too long is refused as a whole, and then
// nobody is told anything.
const maxNote = 1024

// Note returns what an event says, shortened if need be.
func Note(text string) string { return Shortened(text, maxNote) }

// Shortened cuts what is longer than some bytes.
func Shortened(text string, most int) string {
	const ellipsis = "..."
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len(ellipsis)], "") + ellipsis
}
