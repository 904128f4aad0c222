package cycle

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Facts is everything that a decision depends on, apart from the time. Host and Node are read live.
type Facts struct {
	UID      types.UID
	Spec     v1alpha1.RebootRemediationSpec
	Status   v1alpha1.RebootRemediationStatus
	Deleting bool
	// Finalizer tells that ours is set.
	Finalizer bool

	Machine MachineFacts
	Host    HostFacts
	Node    NodeFacts
	// Siblings are the other RebootRemediations of the Machine, in the order in which they ended, as far as they matter.
	Siblings []v1alpha1.RebootRemediation
	// Throttled says why the machine has to wait for its turn; empty if it is.
	Throttled string
	// Paused says why no attempt may begin; empty if it may. PausedUntil is when that may be over by itself.
	Paused      string
	PausedUntil time.Time
	// NotStored says that the MachineRemediation which made the RebootRemediation has not stored that; empty if it has, or if none made
	// it.
	NotStored string
	// Blind says why what belongs to the host, the Machine and its infrastructure machine, cannot be read; empty if it can.
	Blind string
	// DeletingSince is when the RebootRemediation was deleted. NodeFinalizer tells that it stays for the Node.
	DeletingSince time.Time
	NodeFinalizer bool
}

// MachineFacts is what is known of the Machine.
type MachineFacts struct {
	// Gone tells that it does not exist, or is another one than at the beginning, or is being deleted.
	Gone bool
	UID  types.UID
	// Node is the name of its Node; empty if it never joined.
	Node string
	// ByAnnotation tells that the RebootRemediation was made for annotations of the Machine. Plain tells
	// that it has the one for a full cycle, and Keys are those for single steps. Annotations that ask for another
	// cycle do not count.
	ByAnnotation bool
	Plain        bool
	Keys         map[v1alpha1.Step]bool
	// Asked tells that a person asks for a full cycle by an annotation that waits for this one, which was made for something else.
	Asked bool
	// Operation is the attempt for which a record asks by annotation; empty if none does.
	Operation string
	// OfHealthCheck tells that the annotation for a full cycle is that of a health check.
	OfHealthCheck bool
	// ByHealthCheck tells that a health check has asked for the cycle, and not a person.
	ByHealthCheck bool
	// Healthy tells that the cycle was asked for by a health check, and the machine has recovered. Sick tells that it is
	// called sick; it may be neither.
	Healthy bool
	Sick    bool
	// Undecided tells that it was asked for by a health check, which cannot tell yet: its Node has just come.
	Undecided bool
	// Owned tells that a controller owns it, which can replace it.
	Owned bool
	// Marked tells that it is marked for that.
	Marked bool
}

// HostFacts is what is known of the BareMetalHost.
type HostFacts struct {
	// Missing says why there is none; empty if there is one.
	Missing string
	// None tells that there is none: that is known, and not only that it cannot be found.
	None bool
	Name string
	UID  types.UID
	// Ours tells that it is used by the Machine.
	Ours bool
	// Obstacle is the reason, and Message the text, why its power state cannot be trusted or changed
	// now; empty if there is none.
	Obstacle string
	Message  string
	// Fenceable tells that it can be switched off at all.
	Fenceable bool
	Deleting  bool
	// Online is what its user wants, PoweredOn what its operator has seen last.
	Online    bool
	PoweredOn bool
	// Key tells that our key is on it. AskedAt is what it says: when the one-shot request came with it last.
	Key     bool
	AskedAt time.Time
	// Probe tells that our one-shot request is on it, and OtherProbe that one of somebody else is, which
	// stands for ours if it came first.
	Probe      bool
	OtherProbe bool
	// Unhealthy tells that Metal3 does not hand it out, and UnhealthyByUs that we have seen to that.
	Unhealthy, UnhealthyByUs bool
	// OtherKeys tells that somebody else holds it off.
	OtherKeys bool
}

// NodeFacts is what was read from the workload cluster.
type NodeFacts struct {
	State NodeState
	// Cause is set if State is NodeUnreadable.
	Cause string
	// Node is set if State is NodeFound.
	Node *corev1.Node
	// Tainted tells that it has the out-of-service taint, and Drained that its Pods and volumes have
	// been let go of since.
	Tainted bool
	Drained bool
	// TaintSupported tells that the workload cluster honours that taint.
	TaintSupported bool
}

// awaitsMachine tells that the request stands for a machine that is not called healthy yet.
func (f *Facts) awaitsMachine() bool {
	return (f.Machine.Sick || f.Machine.Undecided) && f.standsForMachine()
}

// stillSick tells that the request stands for a machine that is still called sick.
func (f *Facts) stillSick() bool { return f.Machine.Sick && f.standsForMachine() }

// standsForMachine tells that the request goes by what its health check says. A record decides by itself.
func (f *Facts) standsForMachine() bool {
	return f.Whole() && !f.ofRecord() && f.Machine.Operation == "" && !f.withdrawn()
}

// escalates tells that the owner of the Machine has to be asked to replace it, since cycling did not help.
func (f *Facts) escalates() bool {
	m := f.Machine
	return f.replaceable() && m.Owned && !m.Gone && !m.Marked && !m.Healthy && !f.Deleting
}

// replaceable tells that cycling did not help, and that another machine would. Who asked for single steps looks after the rest
// himself, and a record decides by itself.
func (f *Facts) replaceable() bool {
	return f.helpless() && f.Whole() && !f.ofRecord() && f.Machine.Operation == ""
}

// helpless tells that a cycle is of no use: it was tried in vain, or there is nothing to cycle.
func (f *Facts) helpless() bool {
	if f.Status.Phase != v1alpha1.Failed {
		return false
	}
	switch whyEnded(&f.Status) {
	case v1alpha1.ReasonPowerOffTimedOut, v1alpha1.ReasonPowerOnTimedOut, v1alpha1.ReasonNodeTimedOut, v1alpha1.ReasonMachineUnhealthy:
		return true
	case v1alpha1.ReasonHostUnavailable:
		return f.hostless()
	default:
		return false
	}
}

// hostless tells that a machine has nothing that could be cycled. A host that goes in the midst of it does not come back. If
// there never was one, or it does not run the machine, that is up to what watches over the machine's health: it would stay
// sick for ever, and block the remediation of others. A person who asks for a reboot does not ask for another machine;
// and pausing a host, or saying that it cannot be switched off, is deliberate, so neither escalates.
func (f *Facts) hostless() bool {
	h, recorded := f.Host, f.Status.Host
	if f.Status.Attempt > 0 && recorded != nil && (h.None || h.Missing == "" && h.UID != recorded.UID) {
		return true
	}
	return f.Machine.ByHealthCheck && (h.None || (h.Ours && h.Obstacle == v1alpha1.ReasonHostNotProvisioned))
}

// Whole tells that a full cycle is wanted, and not single steps. What a person has asked for step by step, no health check makes a
// full cycle of.
func (f *Facts) Whole() bool {
	m := f.Machine
	return !m.ByAnnotation || (m.Plain && (!m.OfHealthCheck || !f.stepwise()))
}

// stepwise tells that a person has asked for single steps.
func (f *Facts) stepwise() bool {
	// The version before has not stored that single steps were asked for, but who holds the host off has.
	return f.Status.SingleSteps || f.Status.HoldingSince != nil || len(f.Machine.Keys) > 0
}

// asked reports whether a step is wanted.
func (f *Facts) asked(step v1alpha1.Step) bool { return f.Whole() || f.Machine.Keys[step] }

// withdrawn tells that nobody wants the cycle any more.
func (f *Facts) withdrawn() bool {
	return f.Deleting || (f.Blind == "" && !f.Whole() && !f.stepsWanted())
}

// stepsWanted reports whether a person wants more single steps. A person who asked for power-off alone wants the host to stay off: the
// annotation is gone because that was done. Between two attempts nothing is done without PowerOff.
func (f *Facts) stepsWanted() bool {
	if f.Status.Phase == v1alpha1.CoolingDown {
		return f.Machine.Keys[v1alpha1.StepPowerOff]
	}
	return f.Status.HoldingSince != nil || len(f.Machine.Keys) > 0
}
