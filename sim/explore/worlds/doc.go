// Package worlds describes the small worlds that are searched: what is in them at the beginning, and what may happen.
package worlds
