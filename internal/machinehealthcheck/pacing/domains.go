package pacing

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Annotations of a MachineRemediation that say where its machine was when it was made: the machine may be gone when somebody
// asks. Empty values say that it had no owner, or no failure domain. They are no labels, since the name of a failure domain
// may be anything.
const (
	// OwnerUIDAnnotation holds the UID of the controller that owned the machine.
	OwnerUIDAnnotation = "sickbay.dev/owner-uid"
	// FailureDomainAnnotation holds its failure domain.
	FailureDomainAnnotation = "sickbay.dev/failure-domain"
)

// Annotations are those for a new record of a machine. Every record has them, since a plan may ask for pacing later.
func Annotations(machine *clusterv1.Machine) map[string]string {
	uid, _ := ownerOf(machine)
	return map[string]string{OwnerUIDAnnotation: uid, FailureDomainAnnotation: failureDomainOf(machine)}
}

// DomainsOf are the domains of a machine. Machines without an owner are in one domain together, and so are those without a
// failure domain: nobody knows what they share.
func DomainsOf(machine *clusterv1.Machine, kinds []v1alpha1.PacingDomain) []Domain {
	var domains []Domain
	if slices.Contains(kinds, v1alpha1.DomainOwner) {
		uid, name := ownerOf(machine)
		domains = append(domains, Domain{Key: key(v1alpha1.DomainOwner, uid), Name: name})
	}
	if slices.Contains(kinds, v1alpha1.DomainFailureDomain) {
		name, called := failureDomainOf(machine), "the set of machines without failure domain"
		if name != "" {
			called = "failure domain " + name
		}
		domains = append(domains, Domain{Key: key(v1alpha1.DomainFailureDomain, name), Name: called})
	}
	return domains
}

func ownerOf(machine *clusterv1.Machine) (uid, name string) {
	owner := metav1.GetControllerOfNoCopy(machine)
	if owner == nil {
		return "", "the set of machines without owner"
	}
	return string(owner.UID), owner.Kind + " " + owner.Name
}

// failureDomainOf is where a machine is, or else where it was to be.
func failureDomainOf(machine *clusterv1.Machine) string {
	if machine.Status.FailureDomain != "" {
		return machine.Status.FailureDomain
	}
	return machine.Spec.FailureDomain
}

// keysOf are the domains that the machine of a record was in. One that nobody knows is left out: records that an earlier
// version has made say nothing of it.
func keysOf(r *v1alpha1.MachineRemediation, kinds []v1alpha1.PacingDomain) []string {
	var keys []string
	for _, kind := range []v1alpha1.PacingDomain{v1alpha1.DomainOwner, v1alpha1.DomainFailureDomain} {
		if value, known := valueOf(r, kind); known && slices.Contains(kinds, kind) {
			keys = append(keys, key(kind, value))
		}
	}
	return keys
}

func valueOf(r *v1alpha1.MachineRemediation, kind v1alpha1.PacingDomain) (value string, known bool) {
	if kind == v1alpha1.DomainFailureDomain {
		value, known = r.Annotations[FailureDomainAnnotation]
		return value, known
	}
	if value, known = r.Annotations[OwnerUIDAnnotation]; known {
		return value, true
	}
	return markedOwner(r)
}

// markedOwner is the owner that an attempt of Replace has marked a machine for.
func markedOwner(r *v1alpha1.MachineRemediation) (uid string, known bool) {
	for i := range r.Status.Attempts {
		ref, step := r.Status.Attempts[i].ObjectRef, r.Status.Attempts[i].Step
		replaces := slices.ContainsFunc(r.Spec.Steps, func(s v1alpha1.RemediationStep) bool {
			return s.Name == step && s.Action == v1alpha1.ActionReplace
		})
		if ref != nil && replaces && ref.Kind != "Machine" {
			return string(ref.UID), true
		}
	}
	return "", false
}

func key(kind v1alpha1.PacingDomain, value string) string { return string(kind) + "/" + value }
