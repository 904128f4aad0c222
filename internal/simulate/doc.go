// Package simulate plays a fleet forward: what health checks and plans would do, now and in the coming hours, if nothing else
// changes.
//
// It is pure: the facts that the controllers observe go in, a timeline comes out. All decisions are the controllers' own: the verdict
// on each machine, which machines are admitted, the next step of each repair. Time jumps to the next moment at which a decision can
// change. How the world reacts is an assumption, which the result states.
//
// The simulated objects are the only memory: an act changes a Machine or a record, and everybody reads that, with the controllers' own readers.
// Owners and machines act as they were observed to, unless the assumptions say otherwise.
package simulate
