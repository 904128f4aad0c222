// Package bundle stores in one file everything that explain read about an incident, so that the incident can be judged again,
// elsewhere and later.
//
// A bundle holds the objects that the controllers' observers read, not their conclusions. Replay runs the same observers on it, at
// the time of the original reads, so everything from the reading to the sentence happens again. It repeats each answer, even that
// an object does not exist or may not be read. A bundle never contains a Secret: nothing reads Secrets through it, and it keeps
// only those parts of each object on which decisions depend.
package bundle
