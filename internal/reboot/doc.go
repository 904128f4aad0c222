// Package reboot power-cycles the host of a bare-metal machine: host off and proven off, Node
// deleted or its workloads let go of, host on, what the Node had put back.
//
// It is the last arrow of the design from a Machine with the annotation reboot.metal3.io, or from
// a RebootRemediation, to the BareMetalHost. Both ways lead to a RebootRemediation, whose status is the
// one record of a cycle.
//
// The package cycle decides what comes next, and is pure. Each of its decisions is one write: either the status is brought up to date,
// or one thing is done in the world. This package reads what a decision goes by, and carries it out.
package reboot
