// Package adoption hands over to Sickbay the MachineHealthChecks of a Cluster that has the label sickbay.dev/manage, or whose namespace
// has it: also those that a ClusterClass makes, and those made later. When the label goes, it gives them back.
//
// It sets the annotation that holds Cluster API's own controller off, and leaves each pause of others alone. Decide is pure.
package adoption
