package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Phase is how far a cycle has come. A phase is stored before anything is done in it, so after a crash
// the cycle goes on from there.
// +kubebuilder:validation:Enum=Pending;PoweringOff;Fenced;Isolating;Holding;PoweringOn;WaitingForNode;Restoring;Succeeded;Failed;Aborted
type Phase string

// The phases, in the usual order.
const (
	// Pending: nothing has been done to the host; Sickbay looks at it, or it waits for its turn.
	Pending Phase = "Pending"
	// PoweringOff: the host is asked to be off, and is not proven off yet.
	PoweringOff Phase = "PoweringOff"
	// Fenced: the host is proven off.
	Fenced Phase = "Fenced"
	// Isolating: the Node is deleted, or tainted until nothing of it is left.
	Isolating Phase = "Isolating"
	// Holding: the host stays off, since the cycle was made to stop here and nobody has asked for more.
	Holding Phase = "Holding"
	// PoweringOn: the host may come on.
	PoweringOn Phase = "PoweringOn"
	// WaitingForNode: the host is on, but the Node is not back.
	WaitingForNode Phase = "WaitingForNode"
	// Restoring: Sickbay restores what the Node had, and waits until it is Ready.
	Restoring Phase = "Restoring"
	// Succeeded: the host has been off and is on, and its Node is back as it was, and Ready. As in the other ends, nothing that
	// was set on the host is left there.
	Succeeded Phase = "Succeeded"
	// Failed: cycling did not help, or Sickbay could not work with the host.
	Failed Phase = "Failed"
	// Aborted: the machine is gone, the request was withdrawn, or Sickbay had to leave the host alone. It says nothing about the host.
	Aborted Phase = "Aborted"
)

// Ended reports whether a cycle has come to one of its ends.
func (p Phase) Ended() bool { return p == Succeeded || p == Failed || p == Aborted }

// Outcome is why a cycle has ended as it has, by the reasons of the condition Succeeded.
// +kubebuilder:validation:Enum=Succeeded;Withdrawn;MachineGone;HostUnavailable;PowerOffTimedOut;PowerOnTimedOut;NodeTimedOut;RestoreTimedOut
type Outcome string

// RebootRemediationStatus is the record of a cycle.
type RebootRemediationStatus struct {
	// observedGeneration is the generation of the spec that Sickbay saw last; -1 before it has seen any.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// recordRef is the MachineRemediation that Sickbay has made for this RebootRemediation, if a person or a health check made it. Then only this
	// and the condition Succeeded are set: the power cycles are RebootRemediations of that MachineRemediation.
	// +optional
	RecordRef *RemediationReference `json:"recordRef,omitempty"`
	// phase is how far the cycle has come.
	// +optional
	Phase Phase `json:"phase,omitempty"`
	// machineUID is the UID of the Machine when the cycle began.
	// +optional
	MachineUID types.UID `json:"machineUID,omitempty"`
	// beganAt is when Sickbay began to cycle the host. It is stored before our key is set on the host. Absent:
	// nothing was done to the host.
	// +optional
	BeganAt *metav1.Time `json:"beganAt,omitempty"`
	// host is the BareMetalHost that is cycled.
	// +optional
	Host *HostIdentity `json:"host,omitempty"`
	// node is the Node that ran on the host when the cycle began; absent if the machine never joined.
	// +optional
	Node *NodeRecord `json:"node,omitempty"`

	// suspendedSince is when the cycle began to wait for somebody else: for a person or a program that keeps the host off, or for a host
	// that is paused, detached or having its firmware updated. During the wait, no deadline passes.
	// +optional
	SuspendedSince *metav1.Time `json:"suspendedSince,omitempty"`
	// unavailableSince is when the host to cycle became unavailable.
	// +optional
	UnavailableSince *metav1.Time `json:"unavailableSince,omitempty"`
	// pendingRebootSince is when the cycle asked for the host to be off.
	// +optional
	PendingRebootSince *metav1.Time `json:"pendingRebootSince,omitempty"`
	// keySince is when Sickbay's key was set on the host. It has certainly been there since.
	// +optional
	KeySince *metav1.Time `json:"keySince,omitempty"`
	// keysLost counts how often somebody took our key away.
	// +kubebuilder:validation:Minimum=1
	// +optional
	KeysLost int32 `json:"keysLost,omitempty"`
	// seenOnAt is when the host was seen on with our key: if it is seen off later, it has gone off since.
	// +optional
	SeenOnAt *metav1.Time `json:"seenOnAt,omitempty"`
	// poweredOffAt is when the host was last proven off.
	// +optional
	PoweredOffAt *metav1.Time `json:"poweredOffAt,omitempty"`
	// isolation is how the Node is taken out of service if spec.isolation does not say it. Sickbay decides it when the cycle begins; absent
	// means DeleteNode.
	// +optional
	Isolation Isolation `json:"isolation,omitempty"`
	// isolatingSince is when Sickbay began to take the Node out of service.
	// +optional
	IsolatingSince *metav1.Time `json:"isolatingSince,omitempty"`
	// isolatedAt is when the Node was out of service, or when the cycle went on without that.
	// +optional
	IsolatedAt *metav1.Time `json:"isolatedAt,omitempty"`
	// nodeGoneAt is when there was no Node while the host was off. A Node of that name has registered since.
	// +optional
	NodeGoneAt *metav1.Time `json:"nodeGoneAt,omitempty"`
	// holdingSince is when Sickbay began to keep the host off, because spec.until says so and nobody has asked for more.
	// +optional
	HoldingSince *metav1.Time `json:"holdingSince,omitempty"`
	// powerOnReleasedAt is when Sickbay let the host come on. The host stays off while others keep it off.
	// +optional
	PowerOnReleasedAt *metav1.Time `json:"powerOnReleasedAt,omitempty"`
	// lastPoweredOn is when the host was seen on again.
	// +optional
	LastPoweredOn *metav1.Time `json:"lastPoweredOn,omitempty"`
	// nodeBackAt is when the Node was seen again.
	// +optional
	NodeBackAt *metav1.Time `json:"nodeBackAt,omitempty"`
	// hostMarkedSince is when Sickbay began to mark the host as one that Metal3 must not hand out, because the cycle did
	// not help. Sickbay clears it with the mark, for instance when the host works again.
	// +optional
	HostMarkedSince *metav1.Time `json:"hostMarkedSince,omitempty"`
	// finishedAt is when the cycle ended.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`

	// outcome is the reason that the condition Succeeded got when the cycle ended.
	// +optional
	Outcome Outcome `json:"outcome,omitempty"`

	// conditions: Succeeded, HostAvailable, NodeIsolated, NodeRestored; Reconciling until it has ended, and Stalled if it has failed.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// HostIdentity tells one BareMetalHost from another of the same name.
type HostIdentity struct {
	// name of the BareMetalHost, in the namespace of the RebootRemediation.
	// +kubebuilder:validation:MinLength=1
	// +required
	Name string `json:"name,omitempty"`
	// uid of the BareMetalHost.
	// +required
	UID types.UID `json:"uid,omitempty"`
}

// NodeRecord is what the Node had before the cycle.
type NodeRecord struct {
	// name of the Node in its workload cluster.
	// +kubebuilder:validation:MinLength=1
	// +required
	Name string `json:"name,omitempty"`
	// uid of the Node. Empty until Sickbay has read the workload cluster.
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// bootID of the Node's system.
	// +optional
	BootID string `json:"bootID,omitempty"`
	// outOfService says that the Node may have been deleted or tainted, in this cycle or one before, and
	// that it is not back in service yet.
	// +optional
	OutOfService bool `json:"outOfService,omitempty"`
	// backup is what has to be put back, from just before the Node was deleted until it is seen on the new
	// Node. It is in the status itself, so one write stores it and the phase.
	// +optional
	Backup *NodeBackup `json:"backup,omitempty"`
}

// NodeBackup is what people and programs have put on a Node.
type NodeBackup struct {
	// takenAt is when the Node was read.
	// +required
	TakenAt metav1.Time `json:"takenAt,omitzero"`
	// labels of the Node.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// annotations of the Node.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// taints of the Node.
	// +listType=atomic
	// +optional
	Taints []corev1.Taint `json:"taints,omitempty"`
	// unschedulable says that the Node was cordoned.
	// +optional
	Unschedulable bool `json:"unschedulable,omitempty"`
	// providerID of the Node. A new Node may have none, and only an empty one can be set.
	// +optional
	ProviderID string `json:"providerID,omitempty"`
}
