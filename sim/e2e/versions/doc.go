// Package versions changes the version of Sickbay in the middle of repairs of every kind, and back. The old version is the last
// one without MachineRemediations, built from the history of this repository. make test-upgrade runs it.
package versions
