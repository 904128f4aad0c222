// Package versions changes the version of Sickbay in the middle of repairs of every kind, and back: from the last version without
// MachineRemediations, which is built from the history of this repository. It is tried by make test-upgrade.
package versions
