// Package planted runs Sickbay on a fleet in which passwords, tokens and keys are planted, and searches all that comes out for them.
//
// It is part of internal/testing, and has tests only.
package planted
