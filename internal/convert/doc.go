// Package convert writes health checks of other dialects as Cluster API's v1beta2 has them: Cluster API's older versions, fields
// by the names that a draft of v1beta2 had, OpenShift's MachineHealthChecks, and NodeHealthChecks of medik8s, whose remediations
// become a MachineRemediationTemplate of Sickbay.
//
// It works on the tree of the YAML and not on Go types, so that comments and what it does not know stay where they are. Nothing
// is lost silently: what cannot be expressed becomes a comment in the result and a [Note]. Where what is lost would have more
// machines repaired than before, the result is a dry-run until somebody has looked at it.
package convert
