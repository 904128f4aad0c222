// Package convert rewrites health checks of other dialects for Cluster API's v1beta2. The dialects are Cluster API's older
// versions, fields with the names of a draft of v1beta2, OpenShift's MachineHealthChecks, and NodeHealthChecks of medik8s, whose
// remediations become a MachineRemediationTemplate of Sickbay. Health checks that are part of a ClusterClass, or of the topology of
// a Cluster, are converted in their place.
//
// It works on the YAML tree and not on Go types, so comments and unknown fields stay where they are. It loses nothing silently:
// what cannot be expressed becomes a comment in the result and a [Note]. If the loss would let more machines be repaired than
// before, the result is a dry-run until somebody has checked it.
package convert
