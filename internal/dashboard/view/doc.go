// Package view makes the pages of the dashboard from facts: what is on them, in which order, and the coordinates of drawings.
//
// It is pure: a look at the fleet, the time and a person's query in, data for a template out. All sentences come from explain.
package view
