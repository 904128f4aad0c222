package ask

import (
	"time"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

const (
	// rebootTime is how long a power cycle may take that an annotation asks for.
	rebootTime = time.Hour
	// replaceTime is how long the owner of a machine may take to replace it.
	replaceTime = time.Hour
)

// spec returns the spec of a record.
func (m Machine) spec(by v1alpha1.RemediationRequester, steps ...v1alpha1.RemediationStep) v1alpha1.MachineRemediationSpec {
	spec := v1alpha1.MachineRemediationSpec{ClusterName: m.Cluster, MachineRef: m.Ref, RequestedBy: &by, Steps: steps}
	if m.Node != "" {
		spec.NodeRef = &v1alpha1.RemediationReference{Name: m.Node}
	}
	return spec
}

func (Machine) reboot(attempts int32, timeout time.Duration) v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{
		Name: "reboot", Action: v1alpha1.ActionReboot, Attempts: attempts, TimeoutSeconds: new(int32(timeout / time.Second)),
	}
}

// makeFor makes the record of a request. What another health check asks for is repeated as its template says, and then the owner is asked for
// another machine.
func (f Facts) makeFor(request *v1alpha1.RebootRemediation) Decision {
	m, settings := f.Machine, request.Spec.RebootSettings
	if m.Gone {
		return tell(request, request.Status.RecordRef, metav1.ConditionUnknown, v1alpha1.ReasonMachineGone, "There is no Machine "+m.Ref.Name+", or it is being deleted")
	}
	if f.Drains {
		return f.notTaken(request)
	}
	if f.Forbidden != "" {
		return tell(request, request.Status.RecordRef, metav1.ConditionUnknown, v1alpha1.ReasonKindsNotInstalled, f.forbidden())
	}
	by := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByRequest, Name: request.Name, UID: request.UID}
	steps := []v1alpha1.RemediationStep{m.reboot(settings.Attempts(), settings.LongestCycle())}
	if OfHealthCheck(request, m.Ref) {
		by.Kind = v1alpha1.AskedByHealthCheck
	} else {
		// That person goes to the host, and it must not come on.
		steps[0].Until = request.Spec.Until
	}
	if by.Kind == v1alpha1.AskedByHealthCheck && m.Replaceable {
		steps = append(steps, v1alpha1.RemediationStep{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(replaceTime / time.Second))})
	}
	return Decision{Act: Make, Spec: m.spec(by, steps...), QuorumLoss: request.Annotations[rebootannotation.AllowQuorumLoss] == "true"}
}

// notTaken answers a person's request that comes too late, so that nobody carries it out some day. A health check's request stays open for the next
// manager, since Cluster API does not ask again while the request exists. The request forgets its record, which may be deleted as history.
func (f Facts) notTaken(request *v1alpha1.RebootRemediation) Decision {
	switch ofCheck := OfHealthCheck(request, f.Machine.Ref); {
	case ofCheck && request.Status.RecordRef == nil:
		return Decision{}
	case ofCheck:
		return tell(request, nil, metav1.ConditionUnknown, v1alpha1.ReasonHandedBack, "Sickbay drains, and leaves this to another controller")
	}
	return tell(request, request.Status.RecordRef, metav1.ConditionFalse, v1alpha1.ReasonWithdrawn, "Sickbay drains, and begins nothing more")
}

// OfHealthCheck reports whether a health check made a request, and not a person. If it does not say so, a health check did if the Machine owns it:
// Cluster API sets an owner, and people do not.
func OfHealthCheck(request *v1alpha1.RebootRemediation, machine v1alpha1.RemediatedMachineReference) bool {
	if by := request.Spec.RequestedBy; by != nil {
		return by.Kind == v1alpha1.RequestedByHealthCheck
	}
	for _, owner := range request.OwnerReferences {
		if owner.UID == machine.UID {
			return true
		}
	}
	return false
}

// MachineOf returns the Machine that a RebootRemediation is about: the one that it names, or that owns it, or that of Cluster API with its name.
func MachineOf(request *v1alpha1.RebootRemediation) v1alpha1.MachineReference {
	if request.Spec.Machine != nil {
		return *request.Spec.Machine
	}
	for _, owner := range request.OwnerReferences {
		group, err := schema.ParseGroupVersion(owner.APIVersion)
		if err == nil && owner.Kind == "Machine" && (group.Group == clusterv1.GroupVersion.Group || group.Group == machinev1.GroupName) {
			return v1alpha1.MachineReference{APIGroup: group.Group, Name: owner.Name}
		}
	}
	return v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: request.Name}
}
