// Package pausing has what tests of pauses for upgrades have in common: the annotations, by their names as users know them, and people
// who pause and unpause, with a ghost that knows what they want.
//
// It shares nothing with the code that it tests.
package pausing
