// Package view makes the pages of the dashboard out of facts: what is on them, in which order, and where drawn things are.
//
// It is pure: a look at the fleet, the time and what a person asks for in, a value for a template out. All sentences are those of
// explain.
package view
