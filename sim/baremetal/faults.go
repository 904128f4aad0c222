package baremetal

import "time"

// Faults are what is wrong with a host. They can change at any time. With the zero value, a host obeys every
// order at once.
//
// Other troubles need no field here. A test makes them through the API: the annotations
// baremetalhost.metal3.io/paused and /detached, spec.online, spec.disablePowerOff (every power-off becomes a
// reboot), keys of other clients, deletion. Or by hand: Host.Press switches the machine without the operator,
// and Operator.Stop stops the operator.
type Faults struct {
	// OffTakes and OnTakes are how long the machine takes to lose and to get power.
	OffTakes, OnTakes time.Duration

	// BootTakes is the time from power to the start of the Program.
	BootTakes time.Duration

	// Hangs leaves the machine in its firmware: it has power, but the Program does not start.
	Hangs bool

	// SoftIgnored is an operating system that ignores a request to shut down. The BMC gives up with an error
	// after Options.SoftTimeout. The operator cuts the power after its pause; an order to cut the power that
	// comes earlier waits.
	SoftIgnored bool

	// SoftUnsupported is a BMC that refuses a soft shutdown: the operator cuts the power at once.
	SoftUnsupported bool

	// Busy is a BMC that is locked. It refuses all orders, and the operator tries again without an error in the
	// status.
	Busy bool

	// FailOff and FailOn are how many of the next orders fail. Each failure puts an error of type "power
	// management error" into the status and raises errorCount; the next attempt comes after a pause and is
	// always hard.
	FailOff, FailOn int

	// Unreachable is a BMC that does not answer: orders fail, and the status keeps the power last seen,
	// whatever the machine does.
	Unreachable bool

	// PowerUnknown is a BMC that does not answer, and the operator knows it: status.poweredOn keeps its old
	// value, orders fail, and the condition Manageable is False with reason PowerFailure.
	PowerUnknown bool

	// Lag is how long the BMC shows the old power after a change. It also applies to changes from before the
	// fault.
	Lag time.Duration

	// Servicing is the duration of a firmware update that waits for the host to be off. The update ignores keys
	// that keep the host off: it boots a ramdisk, which status.poweredOn shows, and at the end the machine
	// boots its own system. Only then does the operator switch it off again.
	Servicing time.Duration

	// KeepForeignKeys is an operator of version 0.14 or newer. Up to 0.13.2, inspection, provisioning and
	// deprovisioning remove everybody's reboot annotations; newer versions remove only the one without suffix.
	KeepForeignKeys bool
}
