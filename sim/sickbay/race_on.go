//go:build race

package sickbay

// raceDetector tells that this program was built with the race detector.
const raceDetector = true
