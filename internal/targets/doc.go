// Package targets answers which MachineHealthCheck a Machine belongs to, and
// whether Sickbay may act on either of them.
//
// Both controllers need the same answer: machinehealth to find the rules for a
// Machine, machinehealthcheck to count its Machines. So it is given once, by pure
// functions over plain objects, and the indexes that make it cheap are here too.
package targets
