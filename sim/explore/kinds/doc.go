// Package kinds names the kinds and the objects in small worlds.
package kinds
