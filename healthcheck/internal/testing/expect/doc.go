// Package expect asserts what the code under test does not do.
package expect
