// Package openshift tests the pause for upgrades of OpenShift. ClusterVersion affects every MachineHealthCheck in a
// management cluster, so the package has its own world.
package openshift
