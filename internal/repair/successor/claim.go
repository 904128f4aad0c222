package successor

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// ForAnnotation is the annotation in which a KubeadmControlPlane names the machine that a new one replaces.
const ForAnnotation = "controlplane.cluster.x-k8s.io/remediation-for"

// InProgressAnnotation is the annotation by which it says that it has deleted a machine and not yet made the new one.
const InProgressAnnotation = "controlplane.cluster.x-k8s.io/remediation-in-progress"

// clockSkew is how far our clock may be ahead of the API server's without anything that shows it.
const clockSkew = time.Minute

// claim is a record's claim on the machine that replaces its own.
type claim struct {
	record *v1alpha1.MachineRemediation
	// owner makes the replacement.
	owner recordstore.Maker
	// askedAt is when the owner was asked for it, and deleted when it deleted the machine of the record; zero if that went unseen.
	askedAt, deleted time.Time
}

// claimOf returns the claim of a record, or nil if it has none: it did not ask an owner for another machine, or ended without one.
func claimOf(record *v1alpha1.MachineRemediation) *claim {
	last := ladder.Last(&record.Status)
	if last == nil || last.ObjectRef == nil || last.StartTime == nil {
		return nil
	}
	if step, _ := ladder.StepNamed(record, last.Step); step.Action != v1alpha1.ActionReplace {
		return nil
	}
	switch last.Result {
	case "", v1alpha1.ResultSucceeded, v1alpha1.ResultFailed, v1alpha1.ResultTimedOut:
		c := &claim{record: record, owner: recordstore.MakerOf(last.ObjectRef), askedAt: last.StartTime.Time}
		if last.Begun() && last.BeganAt.After(c.askedAt) {
			c.deleted = last.BeganAt.Time
		}
		return c
	default:
		return nil
	}
}

// claimsOn returns the claims on machines, by the owner that makes them, of the owners for which an open record waits. Records that have ended come first;
// the others follow in the order in which their machines were deleted, as far as that is known, and were requested.
func claimsOn(machines []*clusterv1.Machine, records []*v1alpha1.MachineRemediation) map[recordstore.Maker][]*claim {
	there := map[types.UID]*clusterv1.Machine{}
	for i := range machines {
		there[machines[i].UID] = machines[i]
	}
	claims := map[recordstore.Maker][]*claim{}
	for i := range records {
		c := claimOf(records[i])
		if c == nil {
			continue
		}
		if machine := there[records[i].Spec.MachineRef.UID]; machine != nil {
			if machine.DeletionTimestamp.IsZero() {
				continue
			}
			// An update in place may have moved it to another owner.
			c.deleted = machine.DeletionTimestamp.Time
		}
		claims[c.owner] = append(claims[c.owner], c)
	}
	maps.DeleteFunc(claims, func(_ recordstore.Maker, of []*claim) bool {
		return !slices.ContainsFunc(of, func(c *claim) bool { return !ladder.Ended(c.record) })
	})
	for _, of := range claims {
		slices.SortFunc(of, func(a, b *claim) int {
			return cmp.Or(compareEnds(a.record, b.record), a.deleted.Compare(b.deleted), a.askedAt.Compare(b.askedAt), cmp.Compare(a.record.UID, b.record.UID))
		})
	}
	return claims
}

// compareEnds sorts ended claims before open ones, by their end.
func compareEnds(a, b *v1alpha1.MachineRemediation) int {
	switch {
	case ladder.Ended(a) && ladder.Ended(b):
		return a.Status.CompletionTime.Compare(b.Status.CompletionTime.Time)
	case ladder.Ended(a):
		return -1
	case ladder.Ended(b):
		return 1
	}
	return 0
}

// since is the earliest creation time of a machine that can fulfill the claim: when the machine was deleted. The API server sets both times.
// Where the deletion went unseen, it is the time of our request, and our clock may be ahead of the API server's. A verdict comes before its
// record: if its time is later, our clock is ahead by at least the difference.
func (c *claim) since() time.Time {
	if !c.deleted.IsZero() {
		return c.deleted
	}
	created := c.record.CreationTimestamp.Time
	ahead := max(0, c.record.Spec.Finding.Since.Sub(created))
	if since := c.askedAt.Add(-clockSkew - ahead); since.After(created) {
		return since
	}
	return created
}

// takes reports whether a machine can fulfill the claim.
func (c *claim) takes(machine *clusterv1.Machine) bool {
	if !machine.DeletionTimestamp.IsZero() {
		return false
	}
	if name, named := replacedBy(machine); named {
		return name == c.record.Spec.MachineRef.Name
	}
	created, ended := machine.CreationTimestamp, c.record.Status.CompletionTime
	return !created.Time.Before(c.since()) && (ended == nil || !ended.Before(&created))
}

// namesOfRecords maps the names of records to their machines, as far as claims refer to them.
func namesOfRecords(machines []*clusterv1.Machine, claims []*claim) map[string]int {
	names, ordinals := map[string]int{}, map[int]bool{}
	for _, c := range claims {
		if ref := c.record.Status.ReplacementRef; ref != nil {
			ordinals[recordstore.OrdinalIn(ref.Name)] = true
		}
	}
	for ordinal := range ordinals {
		for i, machine := range machines {
			names[recordstore.Name(machine.Name, machine.UID, ordinal)] = i
		}
	}
	return names
}

// byAge sorts machines that name the one they replace before the others, and by age, oldest first.
func byAge(a, b *clusterv1.Machine) int {
	return cmp.Or(compareNamed(a, b), a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
}

func compareNamed(a, b *clusterv1.Machine) int {
	_, namedA := a.Annotations[ForAnnotation]
	_, namedB := b.Annotations[ForAnnotation]
	switch {
	case namedA && !namedB:
		return -1
	case namedB && !namedA:
		return 1
	}
	return 0
}

// replacedBy returns the name of the machine that a control plane replaced with this one.
func replacedBy(machine *clusterv1.Machine) (name string, named bool) {
	value, ok := machine.Annotations[ForAnnotation]
	if !ok {
		return "", false
	}
	var said struct {
		Machine string `json:"machine"`
	}
	return said.Machine, json.Unmarshal([]byte(value), &said) == nil
}
