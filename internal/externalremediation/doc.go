// Package externalremediation carries out OpenShift's external remediation: a MachineHealthCheck of machine.openshift.io with the
// strategy external-baremetal annotates a sick Machine with host.metal3.io/external-remediation, and leaves the rest to other
// controllers.
//
// For each Machine with that annotation it makes one RebootRemediation, which the reboot controller carries out. It removes the
// annotation when the machine is healthy. If cycling its host does not help, it says so on the Machine and does nothing more.
package externalremediation
