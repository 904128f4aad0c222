// Package silence says whether the owner of a Machine will never replace it when asked, and why. It is pure.
//
// An owner is asked by the condition OwnerRemediated. Cluster API's MachineSets and KubeadmControlPlanes answer it, unless something on them, on
// their MachineDeployment or on their Cluster keeps them from it.
package silence

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
)

// Cause is why an owner does not replace a Machine.
type Cause string

// The causes.
const (
	// None: it replaces the Machine, as far as can be seen.
	None Cause = ""
	// PausedBySpec: spec.paused is set on the Cluster, or on the MachineDeployment whose rollout would replace the Machine.
	PausedBySpec Cause = "PausedBySpec"
	// PausedByAnnotation: the owner has the annotation cluster.x-k8s.io/paused, or the MachineDeployment whose rollout would replace the Machine.
	PausedByAnnotation Cause = "PausedByAnnotation"
	// ScaledToZero: it wants no machines, so it makes no other one.
	ScaledToZero Cause = "ScaledToZero"
	// Deleting: it is being deleted, with all its machines.
	Deleting Cause = "Deleting"
	// OnDelete: its MachineDeployment has a newer revision, and replaces machines of older ones only when a person deletes them.
	OnDelete Cause = "OnDelete"
	// MakesNone: an annotation of the MachineSet keeps it from making machines.
	MakesNone Cause = "MakesNone"
	// NoneInFlight: its MachineDeployment allows no remediation, since spec.remediation.maxInFlight is 0, so it defers for ever.
	NoneInFlight Cause = "NoneInFlight"
	// KindNeverAnswers: owners of this kind do not look at the condition.
	KindNeverAnswers Cause = "KindNeverAnswers"
	// KindUnknown: nobody knows whether owners of this kind answer. It may replace the Machine.
	KindUnknown Cause = "KindUnknown"
)

// Never reports whether the Machine will not be replaced before somebody does something about the cause.
func (c Cause) Never() bool { return c != None && c != KindUnknown }

// EndsByDeletion reports whether the owner makes another machine for each that is deleted, although it does not answer when it is asked.
func (c Cause) EndsByDeletion() bool { return c == KindNeverAnswers || c == OnDelete }

// Facts are what is known about the owner of a Machine.
type Facts struct {
	// Controller is the reference to the owner; nil if nobody controls the Machine.
	Controller *metav1.OwnerReference
	// Cluster is the Machine's Cluster; nil if it is not known.
	Cluster *clusterv1.Cluster
	// Owner is nil if it could not be read.
	Owner metav1.Object
	// Replicas is how many machines the owner wants; nil if it does not say.
	Replicas *int32
	// Deployment is the MachineDeployment of a MachineSet; nil if it has none, or if that could not be read.
	Deployment *clusterv1.MachineDeployment
}

// Why is a cause, and the object that has it.
type Why struct {
	Cause
	// Kind and Name are those of the owner, its MachineDeployment or its Cluster; empty without a cause.
	Kind, Name string
	// Topology names the Cluster in whose topology the cause is to be changed; empty if that is done on the object itself.
	Topology string
}

var (
	machineSet  = clusterv1.GroupVersion.WithKind("MachineSet").GroupKind()
	machinePool = clusterv1.GroupVersion.WithKind("MachinePool").GroupKind()
	kubeadm     = schema.GroupKind{Group: "controlplane.cluster.x-k8s.io", Kind: "KubeadmControlPlane"}
)

// Answers reports whether owners of a kind are known to answer when they are asked to replace a Machine.
func Answers(kind schema.GroupKind) bool { return kind == machineSet || kind == kubeadm }

// Of returns why the owner of a Machine does not replace it.
func Of(f Facts) Why {
	if f.Controller == nil {
		return Why{}
	}
	kind := schema.FromAPIVersionAndKind(f.Controller.APIVersion, f.Controller.Kind).GroupKind()
	if kind == machinePool {
		return f.ofOwner(KindNeverAnswers)
	}
	if why := OfDeletion(f); why.Cause != None {
		return why
	}
	if Answers(kind) {
		return f.ofRevision()
	}
	return f.ofOwner(KindUnknown)
}

// OfDeletion returns why the owner of a Machine would make no other one if the Machine was deleted. Whether it answers when it is asked makes no
// difference.
func OfDeletion(f Facts) Why {
	switch {
	case f.Controller == nil:
		return Why{}
	case f.Cluster != nil && f.Cluster.Spec.Paused != nil && *f.Cluster.Spec.Paused:
		return Why{Cause: PausedBySpec, Kind: "Cluster", Name: f.Cluster.Name}
	}
	if why := f.ofState(); why.Cause != None || f.Owner == nil {
		return why
	}
	switch {
	case f.Deployment != nil && f.Deployment.DeletionTimestamp != nil:
		return f.ofDeployment(Deleting)
	case !f.makesNone():
		return Why{}
	case f.Deployment == nil:
		return f.ofOwner(MakesNone)
	}
	// Only the rollout makes another one.
	return f.ofPausedDeployment()
}

// makesNone reports whether a MachineSet makes no machines, so that only a rollout of its MachineDeployment replaces one.
func (f Facts) makesNone() bool {
	return f.Owner.GetAnnotations()[clusterv1.DisableMachineCreateAnnotation] == "true" || (f.Deployment != nil && f.onDelete())
}

// OtherMaker returns the MachineDeployment if it replaces a deleted machine in another MachineSet, since that of the machine makes none; otherwise nil.
func (f Facts) OtherMaker() *clusterv1.MachineDeployment {
	if f.Owner == nil || f.Deployment == nil || !f.makesNone() {
		return nil
	}
	return f.Deployment
}

// ofState says what the owner itself shows.
func (f Facts) ofState() Why {
	switch {
	case f.Owner == nil:
		return Why{}
	case annotations.HasPaused(f.Owner):
		return f.ofOwner(PausedByAnnotation)
	case f.Owner.GetDeletionTimestamp() != nil:
		return f.ofOwner(Deleting)
	case f.Replicas == nil || *f.Replicas != 0:
		return Why{}
	}
	if _, child := DeploymentOf(f.Owner); !child {
		return f.ofOwner(ScaledToZero)
	}
	// A rollout scales a MachineSet to zero, too, and makes the other machine elsewhere.
	if d := f.Deployment; d != nil && d.Spec.Replicas != nil && *d.Spec.Replicas == 0 {
		return f.ofDeployment(ScaledToZero)
	}
	return Why{}
}

// ofRevision says what keeps a MachineDeployment from replacing a machine of an older revision. Its MachineSet refuses to, since a rollout replaces
// the machine; without a rollout, nobody does. The MachineSet of the current revision answers, whether its MachineDeployment is paused or not, as far as
// that allows remediations.
func (f Facts) ofRevision() Why {
	d := f.Deployment
	switch {
	case f.Owner == nil || d == nil:
		return Why{}
	case f.current() && allowsNone(d):
		return f.ofDeployment(NoneInFlight)
	case f.current():
		return Why{}
	case f.onDelete():
		return f.ofDeployment(OnDelete)
	}
	return f.ofPausedDeployment()
}

// current reports whether a MachineSet is of the current revision of its MachineDeployment.
func (f Facts) current() bool {
	return f.Deployment.Annotations[clusterv1.RevisionAnnotation] == f.Owner.GetAnnotations()[clusterv1.RevisionAnnotation]
}

// onDelete reports whether a MachineSet is of an older revision, whose machines are replaced only when a person deletes them.
func (f Facts) onDelete() bool {
	return !f.current() && f.Deployment.Spec.Rollout.Strategy.Type == clusterv1.OnDeleteMachineDeploymentStrategyType
}

// ofPausedDeployment says that the MachineDeployment is paused.
func (f Facts) ofPausedDeployment() Why {
	switch d := f.Deployment; {
	case annotations.HasPaused(d):
		return f.ofDeployment(PausedByAnnotation)
	case d.Spec.Paused != nil && *d.Spec.Paused:
		return f.ofDeployment(PausedBySpec)
	}
	return Why{}
}

// allowsNone reports whether a MachineDeployment allows no remediation, by the arithmetic of Cluster API. How many machines there are makes no
// difference: a percentage is rounded up.
func allowsNone(d *clusterv1.MachineDeployment) bool {
	most := d.Spec.Remediation.MaxInFlight
	if most == nil {
		return false
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(most, 1, true)
	return err == nil && n <= 0
}

// DeploymentOf returns the name of the MachineDeployment that a MachineSet belongs to; false if it belongs to none.
func DeploymentOf(owner metav1.Object) (string, bool) {
	name, ok := owner.GetLabels()[clusterv1.MachineDeploymentNameLabel]
	return name, ok
}

func (f Facts) ofOwner(cause Cause) Why {
	why := Why{Cause: cause, Kind: f.Controller.Kind, Name: f.Controller.Name}
	if f.Owner != nil {
		why.Topology = topologyOf(cause, f.Owner)
	}
	return why
}

func (f Facts) ofDeployment(cause Cause) Why {
	return Why{cause, "MachineDeployment", f.Deployment.Name, topologyOf(cause, f.Deployment)}
}

// topologyOf returns the Cluster whose topology sets the field that is the cause. Cluster API takes back a change of the object itself.
func topologyOf(cause Cause, obj metav1.Object) string {
	_, owned := obj.GetLabels()[clusterv1.ClusterTopologyOwnedLabel]
	if !owned || (cause != ScaledToZero && cause != NoneInFlight) {
		return ""
	}
	return obj.GetLabels()[clusterv1.ClusterNameLabel]
}
