// Package rules lists what must be true in every history.
package rules
