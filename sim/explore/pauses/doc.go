// Package pauses judges what Sickbay does to the annotations of a health check while a cluster upgrades. It knows what people want, as their own writes
// say, and what Sickbay has seen. It shares nothing with the code that decides, internal/upgradepause/pause.
package pauses
