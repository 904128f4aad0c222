package memory

import (
	"fmt"
	"slices"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// chain starts after the last Replace whose attempts are used up over the chain of replacements that a record continues; nil if
// there is none.
func chain(steps []v1alpha1.RemediationStep, records []*v1alpha1.MachineRemediation, name string) *v1alpha1.RemediationStart {
	tried := map[int]int32{}
	for _, r := range predecessors(records, name) {
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

// predecessors returns the records of the machines that the machine of the record of that name has replaced, one after the other,
// latest first.
func predecessors(records []*v1alpha1.MachineRemediation, name string) []*v1alpha1.MachineRemediation {
	var found []*v1alpha1.MachineRemediation
	for r := before(records, name); r != nil && !slices.Contains(found, r); r = before(records, r.Name) {
		found = append(found, r)
	}
	return found
}

// before returns the record of the machine that was replaced by that of the record of that name. There is at most one; if more
// claim it, the latest counts.
func before(records []*v1alpha1.MachineRemediation, name string) *v1alpha1.MachineRemediation {
	var found *v1alpha1.MachineRemediation
	for _, r := range records {
		ref := r.Status.ReplacementRef
		if name == "" || r.Status.CompletionTime == nil || ref == nil || ref.Name != name {
			continue
		}
		if found == nil || latestFirst(r, found) < 0 {
			found = r
		}
	}
	return found
}

func times(n int32) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
