// Package note fits what an event says into what the API takes. An event whose note
// is too long is refused as a whole, and then nobody is told anything. It serves both
// controllers.
package note

import "strings"

// maxLength is how long the note of an event may be, in bytes.
const maxLength = 1024

// Fit returns text, shortened if need be.
func Fit(text string) string {
	const ellipsis = "..."
	if len(text) <= maxLength {
		return text
	}
	return strings.ToValidUTF8(text[:maxLength-len(ellipsis)], "") + ellipsis
}
