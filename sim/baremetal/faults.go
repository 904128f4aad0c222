package baremetal

import "time"

// Faults are what is wrong with a host. They can be changed at any time; the zero value is a host that
// does at once what it is told.
//
// Other troubles need no switch here. They are made at the API: the annotations
// baremetalhost.metal3.io/paused and /detached, spec.online, spec.disablePowerOff (every power-off
// becomes a reboot), keys of other clients, deletion. Or by hand: Host.Press switches the machine behind the
// operator's back, and Operator.Stop ends the operator.
type Faults struct {
	// OffTakes and OnTakes are how long the machine takes to lose power, and to get it.
	OffTakes, OnTakes time.Duration

	// BootTakes is how long it takes from power to the start of the Program.
	BootTakes time.Duration

	// Hangs leaves the machine in its firmware: it has power, and the Program is not started.
	Hangs bool

	// SoftIgnored is an operating system that does not shut down when asked. The BMC gives up after
	// Options.SoftTimeout with an error, and after its pause the operator cuts the power. An order to cut
	// the power that comes meanwhile waits.
	SoftIgnored bool

	// SoftUnsupported is a BMC that refuses to ask: the operator cuts the power at once.
	SoftUnsupported bool

	// Busy is a BMC that is locked. It refuses all orders and the operator tries again, without an error
	// in the status.
	Busy bool

	// FailOff and FailOn are how many of the next orders fail. The status then has an error of type
	// "power management error" and errorCount goes up; the next attempt comes after a pause and is always hard.
	FailOff, FailOn int

	// Unreachable is a BMC that does not answer: orders fail, and the power last seen stays in the
	// status whatever the machine does.
	Unreachable bool

	// PowerUnknown is a BMC that does not answer either, and of which that is known: status.poweredOn
	// keeps its old value, orders fail, and the condition Manageable is False for PowerFailure.
	PowerUnknown bool

	// Lag is how long after a change the BMC still shows the power before it. That includes changes
	// from before the fault.
	Lag time.Duration

	// Servicing is a firmware update that waits for the host to be off, and takes that long. It
	// ignores keys that hold the host off: a ramdisk is booted, which status.poweredOn shows, and at the
	// end the machine boots its own system. Only then the operator switches it off again.
	Servicing time.Duration

	// KeepForeignKeys is an operator of version 0.14 or newer. Up to 0.13.2 inspection, provisioning and
	// deprovisioning remove everybody's reboot annotations, from then on only the one without suffix.
	KeepForeignKeys bool
}
