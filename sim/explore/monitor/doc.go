// Package monitor compares a history with the real state of its world: each write when it is made, and the world
// whenever it is at rest.
package monitor
