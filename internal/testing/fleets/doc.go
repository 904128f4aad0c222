// Package fleets makes fleets as the observer would read them, for what shows fleets to people: from none to
// 10,000 machines, with everything sick, with nothing readable, with names that try to be markup.
//
// It is part of internal/testing. Nothing is invented that the controllers would not decide: verdicts are given, and records
// are played by the ladder from the moment of admission until now.
package fleets
