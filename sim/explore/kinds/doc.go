// Package kinds names the kinds and the objects that a small world is made of.
package kinds
