// Package live makes a client without a cache answer like one that has a cache.
package live
