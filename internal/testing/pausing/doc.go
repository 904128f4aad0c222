// Package pausing contains what tests of pauses for upgrades share: the annotations, by the names that users know, and pools.
//
// It shares no code with the packages that it tests.
package pausing
