// Package useractions carries out what a person decides: an answer about a repair, a hold, or the end of a hold.
//
// It reads and writes with the person's own client, so it does only what the person may do. First, internal/preview says what the
// change would do. The write is refused if what the person saw has changed. The commands and the dashboard both use this package.
package useractions
