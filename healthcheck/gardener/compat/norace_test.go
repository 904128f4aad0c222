//go:build !race

package compat_test

// raceDetector reports whether the race detector is on.
const raceDetector = false
