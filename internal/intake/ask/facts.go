// Package ask decides what intake does about one Machine: which records to make of what others ask for, and what to tell them. It is pure: facts
// and the time in, one decision out.
package ask

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// External is the annotation by which OpenShift's health check asks for a power cycle, with the strategy external-baremetal.
const External = "host.metal3.io/external-remediation"

// Facts are the facts about one Machine.
type Facts struct {
	Machine Machine
	// Requests are the RebootRemediations that ask for power cycles of the Machine, by their names.
	Requests []*v1alpha1.RebootRemediation
	// Records are the records of the Machine.
	Records []*v1alpha1.MachineRemediation
	// Drains reports that Sickbay hands everything back: nothing more is taken in.
	Drains bool
	// NotInstalled reports that there is no kind of records.
	NotInstalled bool
	// Forbidden says that Sickbay may not make records; empty if it may, as far as is known.
	Forbidden string
}

// Machine is what is known of a Machine.
type Machine struct {
	// Gone reports that it does not exist, or is being deleted.
	Gone    bool
	Cluster string
	Ref     v1alpha1.RemediatedMachineReference
	Node    string
	// Annotations are those of the Machine.
	Annotations map[string]string
	// FromTemplate are those annotations that would ask for something, but that the template of its owner carries, or may carry.
	FromTemplate []string
	// OwnerUnread says why the template cannot be read; empty if it can.
	OwnerUnread string
	// Replaceable reports that a controller of Cluster API owns it.
	Replaceable bool
	// External reports that Sickbay carries out what OpenShift's health check asks for.
	External bool
	// Healthy reports whether a Machine of OpenShift is healthy; Provider says who else carries out what its health check asks for; empty if nobody
	// does. They are read only if that check asks.
	Healthy  bool
	Provider string
}

// asks reports whether an annotation asks for something. A sign asks for nothing, and nor does what its owner's template says of all its machines.
func (m Machine) asks(key string) bool {
	value, ok := m.Annotations[key]
	return ok && !rebootannotation.IsSign(value) && !slices.Contains(m.FromTemplate, key)
}

// CycleAnnotation asks for a whole power cycle.
const CycleAnnotation = rebootannotation.Request

// PowerOffAnnotation asks for the host to be switched off, and kept off.
const PowerOffAnnotation = rebootannotation.PowerOff

// latest returns the latest record for which ok is true; nil if there is none.
func (f Facts) latest(ok func(*v1alpha1.MachineRemediation) bool) *v1alpha1.MachineRemediation {
	var found []*v1alpha1.MachineRemediation
	for _, r := range f.Records {
		if ok(r) {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return slices.MaxFunc(found, func(a, b *v1alpha1.MachineRemediation) int {
		return cmp.Compare(recordstore.Ordinal(a), recordstore.Ordinal(b))
	})
}

// ofRequest returns the latest record that was made for a request.
func (f Facts) ofRequest(uid types.UID) *v1alpha1.MachineRemediation {
	return f.latest(func(r *v1alpha1.MachineRemediation) bool {
		return r.Spec.RequestedBy != nil && r.Spec.RequestedBy.UID == uid
	})
}

// isOpen reports whether the record of a sign is open.
func (f Facts) isOpen(sign string) bool {
	return slices.ContainsFunc(f.Records, func(r *v1alpha1.MachineRemediation) bool {
		return ladder.IsOperationOf(r.UID, sign) && !ladder.Ended(r)
	})
}

// openFor returns the open record that somebody asked for in that way.
func (f Facts) openFor(kind v1alpha1.RemediationRequesterKind, name string) *v1alpha1.MachineRemediation {
	return f.latest(func(r *v1alpha1.MachineRemediation) bool {
		by := r.Spec.RequestedBy
		return by != nil && by.Kind == kind && by.Name == name && !ladder.Ended(r)
	})
}

// keepingOff returns the open record that keeps the host off.
func (f Facts) keepingOff() *v1alpha1.MachineRemediation {
	return f.latest(func(r *v1alpha1.MachineRemediation) bool { return !ladder.Ended(r) && ladder.SingleSteps(r) })
}

// OfHealthCheck reports whether a record is open that a health check has asked for.
func (f Facts) OfHealthCheck() bool {
	return slices.ContainsFunc(f.Records, func(r *v1alpha1.MachineRemediation) bool {
		return !ladder.Ended(r) && r.Spec.RequestedBy != nil && r.Spec.RequestedBy.Kind == v1alpha1.AskedByHealthCheck
	})
}

// open reports whether any record is open.
func (f Facts) open() bool {
	return slices.ContainsFunc(f.Records, func(r *v1alpha1.MachineRemediation) bool { return !ladder.Ended(r) })
}
