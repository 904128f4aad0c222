// Package mhcspec reads what a MachineHealthCheck asks for: its Machines, its rules, its annotations, whether it is paused or on hold,
// and whether it is Sickbay's.
//
// It is the only place that parses them. machinehealth finds the rules for a Machine here, machinehealthcheck the Machines that it counts
// and its settings, the others whether they may act. All of it is pure but for the indexes, which make it cheap to ask which
// MachineHealthChecks a Machine has.
package mhcspec
