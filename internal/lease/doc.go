// Package lease makes managers with overlapping scopes work one at a time, and lets the others work in parallel. Each scope has its
// own lease, which records what its holder handles. A manager that wants to lead waits for all managers with overlapping scopes,
// and reports which one it waits for. A leader looks regularly for others.
package lease
