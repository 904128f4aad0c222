// Package metal is the bare metal of a world: hosts with their operator, what runs on them, and who gives them to machines.
package metal
