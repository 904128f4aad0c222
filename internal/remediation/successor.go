package remediation

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// remediationFor is how a KubeadmControlPlane says which machine a new one replaces.
const remediationFor = "controlplane.cluster.x-k8s.io/remediation-for"

// SuccessorOf picks the machine that takes the place of the one of a record; nil if there is none yet. A control plane says
// which one it is; of a MachineSet, the machines that have come since are given to the records whose machines went, the
// oldest to the first.
func SuccessorOf(record *v1alpha1.MachineRemediation, machines []clusterv1.Machine, records []v1alpha1.MachineRemediation) *clusterv1.Machine {
	own := claimOf(record)
	if own == nil {
		return nil
	}
	return successors(own.owner, machines, records)[record.UID]
}

// successors gives the machines of an owner to the records that claim them, by the UID of the record.
func successors(owner types.UID, machines []clusterv1.Machine, records []v1alpha1.MachineRemediation) map[types.UID]*clusterv1.Machine {
	given := map[types.UID]*clusterv1.Machine{}
	come := machinesOfOwner(owner, machines)
	for _, claim := range claimsOn(owner, machines, records) {
		if i := slices.IndexFunc(come, claim.takes); i >= 0 {
			given[claim.record.UID] = come[i]
			come = slices.Delete(come, i, i+1)
		}
	}
	return given
}

// claim is that of a record on a machine in the place of its own.
type claim struct {
	record *v1alpha1.MachineRemediation
	// owner is the controller that makes it.
	owner types.UID
	// asked is when the owner was asked for it.
	asked time.Time
}

// clockSkew is by how much our clock may be ahead of that of the API server, which says when a machine was created.
const clockSkew = time.Minute

// since is from when on a machine can be the one that is claimed.
func (c *claim) since() time.Time {
	since := c.asked.Add(-clockSkew)
	if created := c.record.CreationTimestamp.Time; created.After(since) {
		return created
	}
	return since
}

// claimOf is the claim of a record, or nil if it has none: it has not asked an owner for another machine, or got none until
// it ended.
func claimOf(record *v1alpha1.MachineRemediation) *claim {
	last := lastAttempt(record)
	if last == nil || last.ObjectRef == nil || last.StartTime == nil || actionOf(record, last) != v1alpha1.ActionReplace {
		return nil
	}
	switch last.Result {
	case "", v1alpha1.ResultSucceeded, v1alpha1.ResultFailed, v1alpha1.ResultTimedOut:
		return &claim{record, last.ObjectRef.UID, last.StartTime.Time}
	}
	return nil
}

// claimsOn are the claims on machines of an owner. Records that have ended have had theirs; then come the others, in the
// order in which they asked.
func claimsOn(owner types.UID, machines []clusterv1.Machine, records []v1alpha1.MachineRemediation) []*claim {
	staying := map[types.UID]bool{}
	for i := range machines {
		staying[machines[i].UID] = machines[i].DeletionTimestamp.IsZero()
	}
	var claims []*claim
	for i := range records {
		if c := claimOf(&records[i]); c != nil && c.owner == owner && !staying[records[i].Spec.MachineRef.UID] {
			claims = append(claims, c)
		}
	}
	slices.SortFunc(claims, func(a, b *claim) int {
		return cmp.Or(compareEnds(a.record, b.record), a.asked.Compare(b.asked), cmp.Compare(a.record.UID, b.record.UID))
	})
	return claims
}

// compareEnds puts what has ended before what has not, and orders it by its end.
func compareEnds(a, b *v1alpha1.MachineRemediation) int {
	endA, endB := a.Status.CompletionTime, b.Status.CompletionTime
	switch {
	case endA != nil && endB != nil:
		return endA.Compare(endB.Time)
	case endA != nil:
		return -1
	case endB != nil:
		return 1
	}
	return 0
}

// takes reports whether a machine can be the one that is claimed.
func (c *claim) takes(machine *clusterv1.Machine) bool {
	if name, named := replacedBy(machine); named {
		return name == c.record.Spec.MachineRef.Name
	}
	created, ended := machine.CreationTimestamp, c.record.Status.CompletionTime
	return !created.Time.Before(c.since()) && (ended == nil || !ended.Before(&created))
}

// machinesOfOwner are the machines of an owner, the oldest first. Those that say whom they replace come before the others.
func machinesOfOwner(owner types.UID, machines []clusterv1.Machine) []*clusterv1.Machine {
	var all []*clusterv1.Machine
	for i := range machines {
		if controller := metav1.GetControllerOfNoCopy(&machines[i]); controller != nil && controller.UID == owner {
			all = append(all, &machines[i])
		}
	}
	slices.SortFunc(all, func(a, b *clusterv1.Machine) int {
		return cmp.Or(compareNamed(a, b), a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
	})
	return all
}

func compareNamed(a, b *clusterv1.Machine) int {
	_, namedA := replacedBy(a)
	_, namedB := replacedBy(b)
	switch {
	case namedA && !namedB:
		return -1
	case namedB && !namedA:
		return 1
	}
	return 0
}

// replacedBy is the name of the machine that a control plane has made this one in place of.
func replacedBy(machine *clusterv1.Machine) (name string, named bool) {
	value, ok := machine.Annotations[remediationFor]
	if !ok {
		return "", false
	}
	var said struct {
		Machine string `json:"machine"`
	}
	return said.Machine, json.Unmarshal([]byte(value), &said) == nil
}

// actionOf is what the step of an attempt does.
func actionOf(record *v1alpha1.MachineRemediation, attempt *v1alpha1.RemediationAttempt) v1alpha1.Action {
	for i := range record.Spec.Steps {
		if record.Spec.Steps[i].Name == attempt.Step {
			return record.Spec.Steps[i].Action
		}
	}
	return ""
}
