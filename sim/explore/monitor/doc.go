// Package monitor judges a history by what is true: each write when it is made, and the world whenever it is at rest.
package monitor
