// Package reboot power-cycles the host of a bare-metal machine: it switches the host off and proves that it is off, takes the Node out
// of service, switches the host on, and puts back what the Node had.
//
// A RebootRemediation that a MachineRemediation has made is one power cycle, for one of its attempts; only its status remembers the cycle. This
// package does not know why, or what follows. All other RebootRemediations ask for a MachineRemediation, and are no concern of this package.
//
// The package cycle decides what comes next, and is pure. Each of its decisions is one write: it either updates the status or does one
// thing in the world. This package reads the facts for a decision, and carries it out.
package reboot
