// Package remedy holds what can be done about a sick Machine, one file each.
//
// A remedy makes one write that is safe to repeat, and is done: the healing itself
// is somebody else's part, who is told by that write. Whether a remedy may be
// applied is not decided here but in machinehealthcheck.
package remedy
