// Command figures measures the repository: how much code each room has, how long its files and functions are, how much of it is
// documented, and which room imports which. It checks nothing; people read it before and after they tidy up.
//
//	go run . -root ../.. [-by package|room]
//
// A room is a top-level directory, such as api or healthcheck, or a directory directly below internal, sim or tools, such as
// internal/machinehealth or sim/explore, with everything below it. Generated files and testdata do not count.
package main
