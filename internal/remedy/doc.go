// Package remedy has the actions against a sick Machine, one file each.
//
// An action makes one write that is safe to repeat, and that fails if the facts behind it have changed. The
// controller that reads that write does the repair. The remediation controller decides which action is taken,
// and whether.
package remedy
