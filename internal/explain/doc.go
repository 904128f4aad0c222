// Package explain turns what the controllers see and decide into sentences: what is so, why, what stands in the way, and what
// happens next and when.
//
// It is pure: facts and the time in, pages out. Commands, the dashboard and programs read the same pages. What the controllers
// say in conditions is said here in the same words, as it comes from the same decisions. What happens next is found out by
// asking the same decisions once more, at the moment at which they can change by themselves.
package explain
