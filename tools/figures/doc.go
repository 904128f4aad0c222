// Command figures measures the house: how much code each room has, how long its files and functions are, what is documented, and who
// imports whom. It compares nothing and fails for nothing; people read it before and after they tidy up.
//
//	go run . -root ../.. [-by package|room]
//
// A room is a directory of the floor plan: internal/machinehealth with all below it is one, and so are api, healthcheck and sim/explore.
// Generated files, testdata and comments of licences do not count.
package main
