// Package v1alpha1 holds Sickbay's own kinds, of the group sickbay.dev.
//
// A MachineRemediation is to a MachineHealthCheck what a Job is to a CronJob: everything that is done about one machine, from
// its admission to repair until it is healthy or gone. Its spec holds the machine, the verdict and a copy of the
// plan; its status holds the attempts, and outlives the machine. Sickbay creates it. People answer it in spec.decision.
//
// A MachineRemediationTemplate is a plan: the steps to try in turn, where to begin, how long a machine has to
// prove itself, and how many machines are repaired at once. A MachineHealthCheck refers to it.
//
// A RebootRemediation power-cycles the host of one bare-metal machine: host off, and proven off;
// Node deleted, or tainted so that its workloads leave; host on; labels, annotations and taints of the Node restored. It is a
// remediation request by Cluster API's contract, so a MachineHealthCheck can refer to a
// RebootRemediationTemplate. A plan with the action Reboot can, too.
//
// The objects are plain data. Shapes, units and defaults are in the comments of the fields and, for
// those who read with kubectl, in the CustomResourceDefinitions that are generated from them. Functions such as
// RemediationPlan.Probation read a field with its default, for objects that were made without the definitions.
//
// +kubebuilder:object:generate=true
// +groupName=sickbay.dev
package v1alpha1
