// Package remedy holds what can be done about a sick Machine, one file each.
//
// An act makes one write that is safe to repeat, bound to what it goes by: the controller that reads that write
// does the healing. What is done, and whether, is decided in remediation.
package remedy
