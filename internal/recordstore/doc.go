// Package recordstore makes MachineRemediations and finds them: their names, labels and owner, and the cache indexes by
// which the controllers look them up.
//
// Three controllers share it: machinehealthcheck and intake create the records, and remediation carries them out.
package recordstore
