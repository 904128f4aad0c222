// Package explain turns what the controllers see and decide into sentences: what is so, why, what stands in the way, and what
// happens next and when.
//
// It is pure: facts and the time in, pages out. Commands, the dashboard and programs read the same pages. The pages use the
// same words as the conditions, because the same decisions produce both. To find out what happens next, explain repeats these
// decisions for the moment at which they can change by themselves.
package explain
