// Package metal is the bare metal of a world: hosts with their operator, the systems that run on them, and the provider
// that gives them to Machines.
package metal
