// Package history runs one history of a small world: its objects, its managers, and everybody else who acts in it.
package history
