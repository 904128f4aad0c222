// Package externalremediation takes OpenShift's health checks at their word: a MachineHealthCheck of machine.openshift.io with the
// strategy external-baremetal annotates a sick Machine with host.metal3.io/external-remediation, and leaves the rest to others.
//
// For each Machine with that annotation it makes one RebootRemediation, which the controller reboot carries out. The annotation goes
// when the machine is healthy. If cycling its host does not help, the Machine says so, and nothing more is done.
package externalremediation
