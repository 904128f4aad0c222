// Package simulate plays a fleet forward: what health checks and plans would do, now and in the hours that come, if nothing else
// changes.
//
// It is pure: facts as the controllers observe them go in, a timeline comes out. Every decision in it is one of the controllers' own:
// the verdict on each machine, who is admitted, the next step of each repair. Time jumps from one moment to the next at which one of
// them can change. What happens in the world is an assumption, which the result states.
package simulate
