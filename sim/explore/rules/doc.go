// Package rules says what has to hold in every history, and how one breaks it.
package rules
