package remediation

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/owners"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/successor"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// machineFacts reads the facts about the Machine for the ladder.
func (r *Reader) machineFacts(ctx context.Context, v *view) error {
	m := onmachine.Machine(v.machine, v.facts.Record)
	_, v.facts.RemediateAsked = v.machine.Annotations[clusterv1.RemediateMachineAnnotation]
	var err error
	if m.Mark.State == ladder.MarkWaiting && ladder.AnswerLate(v.facts.Record, r.Clock.Now()) {
		m.OwnerActive, err = r.ownerActive(ctx, v.machine, m.Owner)
	}
	// What was read just before an act holds just after it, too.
	if m.Maker = v.facts.Machine.Maker; err == nil && m.Deleting() {
		m.Maker, err = r.makerAfter(ctx, v)
	}
	v.facts.Machine = m
	v.facts.Machine.OtherFinding = v.otherFinding()
	if err == nil && v.facts.Record.Spec.AskedFor() {
		err = r.stillAsked(ctx, v)
	}
	v.health = v.facts.Machine.Health
	return err
}

// makerAfter returns who makes another machine in the place of one that Sickbay is deleting, if that is not its owner.
func (r *Reader) makerAfter(ctx context.Context, v *view) (*v1alpha1.RemediationObjectReference, error) {
	attempt := ladder.AtWork(v.facts.Record)
	if attempt == nil {
		return nil, nil
	}
	if step, _ := ladder.StepNamed(v.facts.Record, attempt.Step); !step.Deletes() {
		return nil, nil
	}
	reader := owners.Reader{Live: r.Live}
	owner, err := reader.Of(ctx, v.machine, v.cluster)
	return makerOf(owner), err
}

// ownerActive reports whether the owner of a machine is at work on another one.
func (r *Reader) ownerActive(ctx context.Context, machine *clusterv1.Machine, owner *v1alpha1.RemediationObjectReference) (bool, error) {
	machines, err := mhcspec.MachinesOf(ctx, r.Cache, mhcspec.ClusterOf(machine))
	if err != nil || active(machines, owner, machine.UID) {
		return err == nil, err
	}
	return r.replacesAnother(ctx, machine.Namespace, owner)
}

// active reports whether an owner is at work on another of its machines: it deletes or provisions it, or has answered a mark.
func active(machines []*clusterv1.Machine, owner *v1alpha1.RemediationObjectReference, but types.UID) bool {
	return owner != nil && slices.ContainsFunc(machines, func(m *clusterv1.Machine) bool {
		return m.UID != but && successor.ControlledBy(owner.UID, m) && onmachine.OccupiesOwner(m)
	})
}

// replacesAnother reports whether a KubeadmControlPlane says that it replaces a machine, which may be gone while the next one is not there yet.
func (r *Reader) replacesAnother(ctx context.Context, namespace string, owner *v1alpha1.RemediationObjectReference) (bool, error) {
	if owner == nil || owner.Kind != "KubeadmControlPlane" {
		return false, nil
	}
	found := scaffold.MetadataOf(schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind))
	key := client.ObjectKey{Namespace: namespace, Name: owner.Name}
	err := r.Live.Get(ctx, key, found)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) || scaffold.Answered(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("getting KubeadmControlPlane %s: %w", key, err)
	}
	return metav1.HasAnnotation(found.ObjectMeta, successor.InProgressAnnotation), nil
}

// resumedAt is when the last pause or hold ended, on the MachineHealthCheck or one of the other objects.
func (r *Reader) resumedAt(mhc *clusterv1.MachineHealthCheck, others ...client.Object) time.Time {
	held := mhcspec.HoldEnded(r.Clock.Now(), append(others, mhc)...)
	at, err := mhcspec.ResumedAt(mhc)
	if err != nil || held.After(at) {
		return held
	}
	return at
}

// machineOf reads the Machine of a record; nil if it is gone. Those of OpenShift are always read past the cache: few have a record.
func (r *Reader) machineOf(ctx context.Context, reader client.Reader, record *v1alpha1.MachineRemediation) (*clusterv1.Machine, error) {
	if !r.OpenShift {
		return machineOf(ctx, reader, record)
	}
	machine, err := openshift.Find(ctx, r.Live, machineKey(record))
	if machine == nil || machine.UID != record.Spec.MachineRef.UID {
		return nil, err
	}
	return machine, nil
}

// ofOpenShift reports whether a record is about a Machine of OpenShift.
func ofOpenShift(record *v1alpha1.MachineRemediation) bool {
	return record.Spec.MachineRef.APIGroup == openshift.Kind.Group
}

// machineOf reads the Machine of Cluster API of a record; nil if it is gone.
func machineOf(ctx context.Context, reader client.Reader, record *v1alpha1.MachineRemediation) (*clusterv1.Machine, error) {
	machine, err := scaffold.Find(ctx, reader, machineKey(record), &clusterv1.Machine{})
	if machine == nil || machine.UID != record.Spec.MachineRef.UID {
		return nil, err
	}
	return machine, nil
}

// clusterOf returns the Cluster of a view's record; nil if it is gone, or there is none.
func (v *view) clusterOf(ctx context.Context) (*clusterv1.Cluster, error) {
	if v.common != nil {
		return v.common.cluster, nil
	}
	return clusterOf(ctx, v.reader, v.facts.Record)
}

// clusterOf reads the Cluster of a record; nil if it is gone, or there is none.
func clusterOf(ctx context.Context, reader client.Reader, record *v1alpha1.MachineRemediation) (*clusterv1.Cluster, error) {
	if ofOpenShift(record) {
		return nil, nil
	}
	return scaffold.Find(ctx, reader, clusterKey(record), &clusterv1.Cluster{})
}

func machineKey(record *v1alpha1.MachineRemediation) client.ObjectKey {
	return client.ObjectKey{Namespace: record.Namespace, Name: record.Spec.MachineRef.Name}
}

func clusterKey(record *v1alpha1.MachineRemediation) client.ObjectKey {
	return client.ObjectKey{Namespace: record.Namespace, Name: record.Spec.ClusterName}
}
