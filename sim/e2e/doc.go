// Package e2e holds the end-to-end tests: Sickbay, as a process or in this one, in a world with the real
// controllers of Cluster API.
//
// All tests of a test binary share one world. Each has namespaces of its own and a Sickbay that
// looks at nothing else, so they run side by side, which they should: they mostly wait.
package e2e
