// Package schedule says at which points a history deviates from what usually happens, and how.
package schedule
