// Package reboot power-cycles the host of a bare-metal machine: host off and proven off, Node
// deleted or its workloads let go of, host on, what the Node had put back.
//
// It is the last arrow of the design from a Machine with the annotation reboot.metal3.io, or from
// a RebootRemediation, to the BareMetalHost. Both ways lead to a RebootRemediation, whose status is the
// one record of a cycle.
//
// Decide is pure. Each of its decisions is one write: either the status is brought up to date, or one
// thing is done in the world. What is to be done is always stored before it is done, and is safe to
// repeat, so a crash between any two writes loses nothing.
package reboot
