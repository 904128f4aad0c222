//go:build race

package sickbay

// raceDetector reports whether this program was built with the race detector.
const raceDetector = true
