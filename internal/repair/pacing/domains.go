package pacing

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Annotations of a MachineRemediation with the location of its machine when the record was made: the machine may be gone later.
// Empty values mean that it had no owner, or no failure domain. They are no labels, since the name of a failure domain may be
// anything.
const (
	// OwnerUIDAnnotation holds the UID of the controller that owned the machine.
	OwnerUIDAnnotation = ladder.OwnerUIDAnnotation
	// FailureDomainAnnotation holds its failure domain.
	FailureDomainAnnotation = "sickbay.dev/failure-domain"
)

// Annotations returns the annotations for a new record of a machine. Every record has them, since a plan may get pacing later.
func Annotations(machine *clusterv1.Machine) map[string]string {
	uid, _ := ownerOf(machine)
	return map[string]string{OwnerUIDAnnotation: uid, FailureDomainAnnotation: cmp.Or(machine.Status.FailureDomain, machine.Spec.FailureDomain)}
}

// DomainsOf returns the domains of a machine. All machines without an owner share one domain, and so do those without a failure
// domain, since it is unknown what they share.
func DomainsOf(machine *clusterv1.Machine, kinds []v1alpha1.PacingDomain) []Domain {
	var domains []Domain
	if slices.Contains(kinds, v1alpha1.DomainOwner) {
		uid, name := ownerOf(machine)
		domains = append(domains, Domain{Key: key(v1alpha1.DomainOwner, uid), Name: name})
	}
	if slices.Contains(kinds, v1alpha1.DomainFailureDomain) {
		name, called := cmp.Or(machine.Status.FailureDomain, machine.Spec.FailureDomain), "the set of machines without failure domain"
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

// keysOf returns the domains of a record's machine. It leaves unknown ones out.
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

// markedOwner returns the owner that an attempt of Replace marked a machine for.
func markedOwner(r *v1alpha1.MachineRemediation) (uid string, known bool) {
	for i := range r.Status.Attempts {
		ref, step := r.Status.Attempts[i].ObjectRef, r.Status.Attempts[i].Step
		replaces := slices.ContainsFunc(r.Spec.Steps, func(s v1alpha1.RemediationStep) bool {
			return s.Name == step && s.Action == v1alpha1.ActionReplace
		})
		if ref != nil && replaces && !ref.IsMachine() {
			return string(ref.UID), true
		}
	}
	return "", false
}

func key(kind v1alpha1.PacingDomain, value string) string { return string(kind) + "/" + value }
