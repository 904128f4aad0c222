// Package record makes MachineRemediations and finds them: their names, labels and owner, and the indexes of the cache
// by which the controllers look them up.
//
// Two controllers share it. machinehealthcheck creates the records, remediation carries them out.
package record
