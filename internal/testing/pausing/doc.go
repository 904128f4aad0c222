// Package pausing contains what tests of pauses for upgrades share: the annotations, by the names that users know, and people who
// pause and unpause, with a ghost that knows what they want.
//
// It shares no code with the packages that it tests.
package pausing
