//go:build race

package compat_test

// raceDetector tells whether it is on.
const raceDetector = true
