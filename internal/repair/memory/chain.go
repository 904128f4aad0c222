package memory

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// chain starts after the last Replace whose attempts are used up over the chain of replacements that the machine of an incident
// continues; nil if there is none.
func chain(steps []v1alpha1.RemediationStep, records []*v1alpha1.MachineRemediation, incident Incident) *v1alpha1.RemediationStart {
	tried := map[int]int32{}
	for _, r := range predecessors(records, incident.MachineName, incident.MachineUID) {
		for n := range r.Status.Attempts {
			step, ok := triedBy(r, &r.Status.Attempts[n])
			if i := same(steps, step); ok && step.Action == v1alpha1.ActionReplace && i >= 0 {
				tried[i]++
			}
		}
	}
	var start *v1alpha1.RemediationStart
	for i := range steps {
		if n := tried[i]; n > 0 && n >= steps[i].MaxAttempts() {
			start = after(steps, i, fmt.Sprintf("Step %s was tried %s in this chain of replacements", steps[i].Name, times(n)))
		}
	}
	return start
}

// predecessors returns the records of the machines that a machine has replaced, one after the other, latest first.
func predecessors(records []*v1alpha1.MachineRemediation, machine string, uid types.UID) []*v1alpha1.MachineRemediation {
	var found []*v1alpha1.MachineRemediation
	for r := before(records, machine, uid); r != nil && !slices.Contains(found, r); {
		found = append(found, r)
		r = before(records, r.Spec.MachineRef.Name, r.Spec.MachineRef.UID)
	}
	return found
}

// before returns the record of the machine that a machine has replaced; nil once that one has proven itself. The record that was to continue
// the chain may have ended with nothing done, so any of the machine continues it. If more lead to the machine, the latest counts.
func before(records []*v1alpha1.MachineRemediation, machine string, uid types.UID) *v1alpha1.MachineRemediation {
	var found *v1alpha1.MachineRemediation
	for _, r := range records {
		if r.Spec.MachineRef.UID == uid && proven(r) {
			return nil
		}
		ref := r.Status.ReplacementRef
		if r.Status.CompletionTime == nil || ref == nil || !recordstore.IsNameFor(ref.Name, machine, uid) {
			continue
		}
		if found == nil || latestFirst(r, found) < 0 {
			found = r
		}
	}
	return found
}

// proven reports whether the machine of a record, which is still there, has stayed healthy for its probation. What a person asks for has none.
func proven(r *v1alpha1.MachineRemediation) bool {
	reason := ladder.Success(&r.Status).Reason
	return reason == v1alpha1.ReasonRecovered || reason == v1alpha1.ReasonRecoveredUnaided || (reason == v1alpha1.ReasonCancelled && !r.Spec.AskedFor())
}

func times(n int32) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
