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
	// NotStored says why to wait for the MachineRemediation that made the RebootRemediation to store it; empty if it has.
	NotStored string
	// MachineUnreadable says why the Machine or its infrastructure machine cannot be read; empty if they can.
	MachineUnreadable string
	// DeletingSince is when the RebootRemediation was deleted. NodeFinalizer reports whether it stays for the Node.
	DeletingSince time.Time
	NodeFinalizer bool
	// Drains reports that Sickbay hands everything back: an ended cycle does not wait for its Node for ever.
	Drains bool
}

// MachineFacts is what is known of the Machine.
type MachineFacts struct {
	// Gone reports whether it does not exist, or is being deleted.
	Gone bool
	UID  types.UID
	// Node is the name of its Node; empty if it never joined.
	Node string
	// AsksFull reports whether the Machine has the annotation for a full cycle, and Steps are those for single steps. They matter only for a
	// cycle that stops after a step.
	AsksFull bool
	Steps    map[v1alpha1.Step]bool
	// Autoscaled reports whether a Cluster Autoscaler looks after its owner, or may do so.
	Autoscaled bool
}

// HostFacts is what is known of the BareMetalHost.
type HostFacts struct {
	// Missing says why there is none; empty if there is one.
	Missing string
	// Unread says why Sickbay cannot look for it; empty if it can.
	Unread string
	Name   string
	UID    types.UID
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
