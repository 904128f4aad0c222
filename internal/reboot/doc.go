// Package reboot power-cycles the host of a bare-metal machine: it switches the host off and proves that it is off, takes the Node out
// of service, switches the host on, and puts back what the Node had.
//
// A cycle begins with an annotation reboot.metal3.io on a Machine, or with a RebootRemediation. The annotation also leads to a
// RebootRemediation; only its status remembers a cycle.
//
// The package cycle decides what comes next, and is pure. Each of its decisions is one write: it either updates the status or does one
// thing in the world. This package reads the facts for a decision, and carries it out.
package reboot
