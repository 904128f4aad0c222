// Package planted runs Sickbay on a fleet with planted passwords, tokens and keys, and searches all output for them.
//
// It is part of internal/testing, and contains only tests.
package planted
