// Package v1alpha1 holds Sickbay's own kinds, of the group sickbay.dev.
//
// A RebootRemediation power-cycles the host of one bare-metal machine: host off, and proven off;
// Node deleted, or its workloads let go by a taint; host on; what the Node had put back. It is a
// remediation request by Cluster API's contract, so a MachineHealthCheck can refer to a
// RebootRemediationTemplate.
//
// The objects are plain data. Shapes, units and defaults are in the comments of the fields and, for
// those who read with kubectl, in the CustomResourceDefinitions that are generated from them.
//
// +kubebuilder:object:generate=true
// +groupName=sickbay.dev
package v1alpha1
