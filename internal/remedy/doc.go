// Package remedy has the actions against a sick Machine, one file each: owner.go asks its owner to replace it, delete.go
// deletes it, request.go makes a request from a template, and rebootremediation.go has its host cycled; sign.go shows that on
// the Machine.
//
// An action makes one write that is safe to repeat, and that fails if the facts behind it have changed. The
// controller that reads that write does the repair. The remediation controller decides which action is taken,
// and whether.
package remedy
