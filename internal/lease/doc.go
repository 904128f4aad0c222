// Package lease has managers that look after the same things work one at a time, and those that look after different things side by
// side. Each scope has a lease of its own, which says what its holder looks after. Who is about to lead waits for all whose scopes
// overlap with its own, and says for whom; who leads looks now and then whether there is another one.
package lease
