package cycle

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const (
	// Finalizer on a RebootRemediation keeps it until nothing of ours is left on its host.
	Finalizer = "sickbay.dev/reboot"
	// NodeFinalizer on a RebootRemediation keeps it until its Node is in service again and has what it had, or until Sickbay gives up
	// on that. If its host is marked and works again, it also stays until the mark is removed.
	NodeFinalizer = "sickbay.dev/reboot-node"
)

// Facts is everything that a decision depends on, except the time. Host and Node are read live.
type Facts struct {
	UID      types.UID
	Spec     v1alpha1.RebootRemediationSpec
	Status   v1alpha1.RebootRemediationStatus
	Deleting bool
	// Finalizer reports whether ours is set.
	Finalizer bool

	Machine MachineFacts
	Host    HostFacts
	Node    NodeFacts
	// Siblings are the other RebootRemediations of the Machine, in the order in which they ended, if the decision needs them.
	Siblings []v1alpha1.RebootRemediation
	// Throttled says why the machine has to wait in line; empty if it may begin.
	Throttled string
	// Paused says why no attempt may begin; empty if one may. PausedUntil is when the pause ends by itself, if that is known.
	Paused      string
	PausedUntil time.Time
	// NotStored says why to wait for the MachineRemediation that made the RebootRemediation to store it; empty if it has, or if none
	// made it.
	NotStored string
	// MachineUnreadable says why the Machine or its infrastructure machine cannot be read; empty if they can.
	MachineUnreadable string
	// DeletingSince is when the RebootRemediation was deleted. NodeFinalizer reports whether it stays for the Node.
	DeletingSince time.Time
	NodeFinalizer bool
}

// MachineFacts is what is known of the Machine.
type MachineFacts struct {
	// Gone reports whether it does not exist, or is being deleted.
	Gone bool
	UID  types.UID
	// Node is the name of its Node; empty if it never joined.
	Node string
	// ByAnnotation reports whether the RebootRemediation was made for annotations of the Machine. AsksFull reports whether the Machine
	// has the one for a full cycle, and Steps are those for single steps.
	ByAnnotation bool
	AsksFull     bool
	Steps        map[v1alpha1.Step]bool
	// Asked reports whether a person asks for a full cycle by an annotation that waits for this one, which was made for something
	// else.
	Asked bool
	// ByHealthCheck reports whether a health check or a record has asked for the cycle, and not a person.
	ByHealthCheck bool
	// Healthy reports whether a health check asked for the cycle and calls the machine healthy, Sick whether it calls it sick. Both
	// may be false.
	Healthy bool
	Sick    bool
	// Undecided reports whether a health check asked for the cycle and has no verdict yet: the Node has just come.
	Undecided bool
	// Autoscaled reports whether a Cluster Autoscaler looks after its owner, or may do so.
	Autoscaled bool
	// Owned reports whether a controller owns it, and so can replace it.
	Owned bool
	// Marked reports whether it is marked for replacement.
	Marked bool
}

// HostFacts is what is known of the BareMetalHost.
type HostFacts struct {
	// Missing says why there is none; empty if there is one.
	Missing string
	// None reports whether it is certain that there is none, not only that it was not found.
	None bool
	Name string
	UID  types.UID
	// Ours reports whether the Machine uses it.
	Ours bool
	// Obstacle is the reason, and Message the text, why its power state cannot be trusted or changed now; both are empty if it can.
	Obstacle string
	Message  string
	// Fenceable reports whether it can be switched off at all.
	Fenceable bool
	Deleting  bool
	// Online is what its user wants, PoweredOn what its operator saw last.
	Online    bool
	PoweredOn bool
	// Key reports whether our key is on it. ProbedAt is the time in the key: when we last made the one-shot request.
	Key      bool
	ProbedAt time.Time
	// KeySeenFor is for how long this process has seen our key in place, without a break since KeySince, by its own monotonic clock. A new
	// process begins at zero.
	KeySeenFor time.Duration
	// Probe reports whether our one-shot request is on it, OtherProbe whether somebody else's is. If theirs came first, it serves for
	// ours.
	Probe      bool
	OtherProbe bool
	// Unhealthy reports whether Metal3 passes it over for other machines, UnhealthyByUs whether because of our mark.
	Unhealthy, UnhealthyByUs bool
	// OtherKeys reports whether somebody else keeps it off.
	OtherKeys bool
}

// awaitsMachine reports whether the request depends on the verdict, and the machine is not called healthy yet.
func (f *Facts) awaitsMachine() bool {
	return (f.Machine.Sick || f.Machine.Undecided) && f.standsForMachine()
}

// stillSick reports whether the request depends on the verdict, and the machine is still unhealthy.
func (f *Facts) stillSick() bool { return f.Machine.Sick && f.standsForMachine() }

// standsForMachine reports whether the request depends on the machine's verdict. A record decides by itself.
func (f *Facts) standsForMachine() bool {
	return !f.ofRecord() && !f.withdrawn()
}

// escalates reports whether to ask the owner of the Machine to replace it, since cycling did not help.
func (f *Facts) escalates() bool {
	m := f.Machine
	return f.replaceable() && m.Owned && !m.Gone && !m.Marked && !m.Healthy && !f.Deleting
}

// replaceable reports whether cycling did not help, and another machine would. A person who asked for single steps decides what
// follows, and so does a record.
func (f *Facts) replaceable() bool {
	return f.noUseCycling() && f.Full() && !f.ofRecord()
}

// noUseCycling reports whether another cycle is useless: all attempts failed, or there is nothing to cycle.
func (f *Facts) noUseCycling() bool {
	if f.Status.Phase != v1alpha1.Failed {
		return false
	}
	switch f.Status.Outcome {
	case v1alpha1.ReasonPowerOffTimedOut, v1alpha1.ReasonPowerOnTimedOut, v1alpha1.ReasonNodeTimedOut, v1alpha1.ReasonMachineUnhealthy:
		return true
	case v1alpha1.ReasonHostUnavailable:
		return f.hostless()
	default:
		return false
	}
}

// hostless reports whether a machine has nothing to cycle. If its host disappears during a cycle, it does not come back. If there
// never was a host, or it does not run the machine, only the request of a health check counts: its machine would otherwise stay sick
// forever, and block the remediation of others. A person who asks for a reboot does not ask for another machine. Somebody who pauses a
// host, or forbids to switch it off, does so deliberately, so neither escalates.
func (f *Facts) hostless() bool {
	if f.Status.Attempt > 0 && f.Status.Host != nil && f.hostGoes() {
		return true
	}
	return f.Machine.ByHealthCheck && (f.hostGoes() || (f.Host.Ours && f.Host.Obstacle == v1alpha1.ReasonHostNotProvisioned))
}

// hostGoes reports whether there is no host any more, or not for long, or another one of that name.
func (f *Facts) hostGoes() bool {
	h, recorded := f.Host, f.Status.Host
	replaced := recorded != nil && h.Missing == "" && h.UID != recorded.UID
	return h.None || replaced || (h.Deleting && h.Ours)
}

// Full reports whether a full cycle is wanted, and not single steps.
func (f *Facts) Full() bool { return !f.Machine.ByAnnotation || f.Machine.AsksFull }

// wants reports whether a step is wanted.
func (f *Facts) wants(step v1alpha1.Step) bool { return f.Full() || f.Machine.Steps[step] }

// withdrawn reports whether nobody wants the cycle any more.
func (f *Facts) withdrawn() bool {
	return f.Deleting || (f.MachineUnreadable == "" && !f.Full() && !f.stepsWanted())
}

// stepsWanted reports whether a person still wants single steps. After PowerOff alone, the person wants the host to stay off: the
// annotation is gone only because the step is done. Between two attempts, nothing is done without PowerOff.
func (f *Facts) stepsWanted() bool {
	if f.Status.Phase == v1alpha1.CoolingDown {
		return f.Machine.Steps[v1alpha1.StepPowerOff]
	}
	return f.Status.HoldingSince != nil || len(f.Machine.Steps) > 0
}
