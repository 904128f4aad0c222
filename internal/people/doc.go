// Package people carries out what a person decides: an answer about a repair, a hold, the end of a hold.
//
// It reads and writes with the person's own client, so it does nothing that the person may not do. What comes of it is said first, by
// internal/decision; what is written is bound to what was shown. The commands and the dashboard both work with it.
package people
