// Package openshift tests the pause for upgrades of OpenShift. Its ClusterVersion concerns every MachineHealthCheck there
// is, so it has a world to itself.
package openshift
