//go:build race

package compat_test

// raceDetector reports whether it is on.
const raceDetector = true
