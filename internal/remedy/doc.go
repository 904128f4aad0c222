// Package remedy has the actions against a sick Machine, one file each: owner.go asks its owner to replace it, delete.go
// deletes it, request.go makes a request from a template, rebootremediation.go makes a RebootRemediation, and reboot.go
// asks for a power cycle by annotation.
//
// An action makes one write that is safe to repeat, and that fails if the facts behind it have changed. The
// controller that reads that write does the repair. The remediation controller decides which action is taken,
// and whether.
package remedy
