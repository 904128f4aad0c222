package memory_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/memory"
)

// TestChain: the machine of the incident has come in the place of others. Two attempts of replace are allowed.
func TestChain(t *testing.T) {
	const failed = v1alpha1.ResultFailed
	other := func(name types.UID, changes ...change) *v1alpha1.MachineRemediation {
		return ended(string(name), append([]change{machine(name), host("x"), reason("NodeStartupTimedOut")}, changes...)...)
	}
	toUs := replacedBy(incident().MachineUID)
	usedUpBy := func(name types.UID, to change) *v1alpha1.MachineRemediation {
		return other(name, tried("replace", failed), tried("replace", failed), to)
	}
	usedUp := at("hold", "Step replace was tried 2 times in this chain of replacements")
	moreReplaces := append(metal(), last)
	tests := map[string]struct {
		plan    []v1alpha1.RemediationStep
		records records
		want    *v1alpha1.RemediationStart
	}{
		"one attempt of two":                 {metal(), records{other("a", tried("replace", failed), toUs)}, nil},
		"both in one record":                 {metal(), records{other("a", tried("replace", v1alpha1.ResultTimedOut), tried("replace", failed), toUs)}, usedUp},
		"both in two records":                {metal(), records{other("a", tried("replace", failed), replacedBy("b")), other("b", tried("replace", failed), toUs)}, usedUp},
		"in any order":                       {metal(), records{other("b", tried("replace", failed), toUs), other("a", tried("replace", failed), replacedBy("b"))}, usedUp},
		"however long ago":                   {metal(), records{other("a", ago(2*week), tried("replace", failed), replacedBy("b")), other("b", ago(week), tried("replace", failed), toUs)}, usedUp},
		"not begun does not count":           {metal(), records{other("a", asked("replace", v1alpha1.ResultNotBegun), tried("replace", failed), toUs)}, nil},
		"our record was in vain":             {metal(), records{usedUpBy("a", toUs), ended("r", says(v1alpha1.ReasonSuperseded))}, usedUp},
		"a person's reboot proves nothing":   {metal(), records{usedUpBy("a", toUs), ended("r", says(v1alpha1.ReasonDone))}, usedUp},
		"we have proven ourselves":           {metal(), records{usedUpBy("a", toUs), ended("r", says(v1alpha1.ReasonRecovered))}, nil},
		"without help":                       {metal(), records{usedUpBy("a", toUs), ended("r", says(v1alpha1.ReasonRecoveredUnaided))}, nil},
		"cancelled, and then well for long":  {metal(), records{usedUpBy("a", toUs), ended("r", says(v1alpha1.ReasonCancelled))}, nil},
		"one before us has proven itself":    {metal(), records{usedUpBy("a", replacedBy("b")), other("b", says(v1alpha1.ReasonRecovered)), other("b", tried("replace", failed), toUs)}, nil},
		"one before us has not":              {metal(), records{other("a", tried("replace", failed), replacedBy("b")), other("b", says(v1alpha1.ReasonHandedBack)), other("b", tried("replace", failed), toUs)}, usedUp},
		"a reboot does not count":            {metal(), records{other("a", tried("reboot", failed), tried("reboot", failed), tried("replace", failed), toUs)}, nil},
		"a chain that leads elsewhere":       {metal(), records{other("a", tried("replace", failed), tried("replace", failed), replacedBy("z"))}, nil},
		"a chain that is torn":               {metal(), records{other("a", tried("replace", failed), replacedBy("gone")), other("b", tried("replace", failed), toUs)}, nil},
		"a record that is open":              {metal(), records{other("a", open, tried("replace", failed), tried("replace", failed), toUs)}, nil},
		"a chain that bites its tail":        {metal(), records{other("a", tried("replace", failed), replacedBy("a")), other("b", tried("reboot", failed), toUs)}, nil},
		"a ring":                             {metal(), records{other("a", tried("replace", failed), replacedBy("b")), other("b", replacedBy("a"), tried("replace", failed))}, nil},
		"another step of the same action":    {moreReplaces, records{other("a", steps(moreReplaces...), tried("replace", failed), tried("replace", failed), tried("last", failed), toUs)}, at("", "Step last was tried once in this chain of replacements")},
		"a step that the plan has no more":   {metal(), records{other("a", steps(last), tried("last", failed), tried("last", failed), toUs)}, nil},
		"a step that is no Replace any more": {metal(), records{other("a", steps(v1alpha1.RemediationStep{Name: "reboot", Action: v1alpha1.ActionReplace}), tried("reboot", failed), tried("reboot", failed), toUs)}, nil},
		"a relapse that leads farther":       {metal(), records{other("a", tried("replace", failed), toUs), ended("b", tried("reimage", failed))}, at("replace", "MachineRemediation b has tried step reimage for the same reason")},
		"a relapse that does not":            {metal(), records{other("a", tried("replace", failed), tried("replace", failed), toUs), ended("b", tried("reboot", failed))}, usedUp},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, memory.StartAt(tt.plan, tt.records, incident(), week, now)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
