package mhcspec

import (
	"strconv"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// maxQuoted is how many bytes of a text that somebody else wrote a sentence quotes.
const maxQuoted = 100

// Quoted quotes a value that somebody else wrote, shortened if it is long.
func Quoted(value string) string { return strconv.Quote(ownwrites.Shortened(value, maxQuoted)) }
