// Package mhcspec reads the settings of a MachineHealthCheck: its Machines, its rules, its annotations, whether it is paused or on hold,
// and whether it belongs to Sickbay.
//
// Only this package parses them. Here machinehealth finds the rules for a Machine, machinehealthcheck the Machines to count and its
// settings, and the others whether they may act. Everything is pure except the reads: of a plan, and through the
// indexes, which make it cheap to find the MachineHealthChecks of a Machine.
package mhcspec
