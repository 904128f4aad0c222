// Package report summarizes the health of many subjects: all objects of a kind, the extensions of
// a cluster, or several clusters.
//
// # The idea
//
// A [Subject] is plain data: a name, conditions, when they were last confirmed, and whether it
// could be read at all. [Summarize] makes one [Overview] from any number of them: the worst
// status wins, in the order of [healthcheck.Merge], and each subject keeps its own line. It is
// pure: the same subjects give the same overview, in any order.
//
// [Objects] makes the subjects from the objects of one kind. A [Handler]
// serves the overview over HTTP.
//
// # Nothing is healthy by omission
//
// Each of these is Unknown, with its own reason: no subjects at all, a subject that could not be
// read, one without conditions or without a condition that it should have, one that has not been
// confirmed for too long, and a condition about an older generation. None of these hides what
// another subject says: if one subject cannot be read and another is False, both have their line,
// and False is worse.
//
// A stale subject is Unknown even if it was False: that is no longer known. The message contains
// what it was.
package report
