// Package apimodel is an in-memory API server that is fast enough for tens of thousands of histories.
//
// It behaves like a real one in everything that Sickbay's controllers use: each write gets a resource version from one
// counter, conflicts and failed preconditions are rejected, a status is a subresource, JSON patches test before they
// write, finalizers keep deleted objects, and managed fields say who wrote a condition. It panics on what the controllers
// do not use. A test sends the same requests to it and to a real API server.
//
// Every kind keeps its history, so a View can show what a lagging cache would show.
package apimodel
