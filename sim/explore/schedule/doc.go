// Package schedule says at which points a history deviates from the usual course, and how.
package schedule
