// Package report puts together what many sources say about health: the conditions of all
// objects of a kind, or of the extensions of a cluster, or of several clusters.
//
// # The idea
//
// A [Source] is plain data: a name, conditions, when they were last confirmed, and
// whether it could be read at all. [Summarize] makes one [Overview] of any
// number of them: the worst status wins, in the order of [healthcheck.Merge], and each
// source keeps its own line. It is pure: the same sources give the same overview, in
// whatever order they come.
//
// [Objects] makes the sources from the objects of one kind. A [Handler]
// serves the overview over HTTP.
//
// # Nothing is healthy by omission
//
// Each of these is Unknown, with its own reason: no sources at all, a source that could
// not be read, one without conditions or without one that it should have, one that has
// not been confirmed for too long, and a condition that is about an older generation.
// None of these hides what another source says: a source that cannot be read is one
// line, and the False of its neighbour is another, and worse.
//
// What is stale is Unknown even if it was False: it was true once. Its message has what it said.
package report
