// Package apimodel is an API server in memory, for histories by the ten thousand.
//
// It behaves as a real one in what the controllers of Sickbay use: each write has one resource version from one counter,
// conflicts and preconditions are refused, a status is a subresource, JSON patches test before they write, finalizers keep
// what is deleted, and managed fields say who wrote a condition. What the controllers do not use it refuses by a panic. A
// test plays the same requests to it and to a real API server.
//
// Every kind keeps its history, so that a View reads what a cache would show that lags behind.
package apimodel
