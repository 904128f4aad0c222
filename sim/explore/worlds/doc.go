// Package worlds describes the small worlds to search: what exists at the beginning, and what may happen.
package worlds
