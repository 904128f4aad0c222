// Package upgrade plays what upgrades: OpenShift, its pools, Clusters. It also plays people and programs who pause health checks, and resume them.
package upgrade
