// Package recordstore makes MachineRemediations and finds them: their names, labels and owner, and the cache indexes by
// which the controllers look them up.
//
// The controllers machinehealthcheck and intake create records, as does sickbay reboot. remediation carries them out, and reboot reads them before
// it begins a power cycle.
package recordstore
