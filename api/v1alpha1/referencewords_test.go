package v1alpha1_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

func TestReferenceConditions(t *testing.T) {
	table := [][]string{{"condition", "meaning"}}
	for _, c := range docs.Constants(t, "conditions.go", "Condition", map[string]string{
		"ConditionSucceeded":     v1alpha1.ConditionSucceeded,
		"ConditionHostAvailable": v1alpha1.ConditionHostAvailable,
		"ConditionNodeIsolated":  v1alpha1.ConditionNodeIsolated,
		"ConditionNodeRestored":  v1alpha1.ConditionNodeRestored,
	}) {
		table = append(table, []string{docs.Code(c.Value), c.Meaning})
	}
	docs.Section(t, referenceFile, "reboot conditions", docs.Table(table...))
}

// TestReferenceReasons renders the reasons, each with the conditions that may have it.
func TestReferenceReasons(t *testing.T) {
	const succeeded, available = v1alpha1.ConditionSucceeded, v1alpha1.ConditionHostAvailable
	const isolated, restored = v1alpha1.ConditionNodeIsolated, v1alpha1.ConditionNodeRestored
	of := map[string]string{
		"ReasonHostAvailable": available, "ReasonHostNotFound": available, "ReasonHostNotOurs": available, "ReasonHostDeleting": available,
		"ReasonHostPaused": available, "ReasonHostDetached": available, "ReasonHostNotProvisioned": available, "ReasonHostServicing": available,
		"ReasonPowerManagementError": available, "ReasonNotFenceable": available, "ReasonHeldByOthers": available,
		"ReasonSuspendedByUser": available + ", " + succeeded,
		"ReasonNodeDeleted":     isolated, "ReasonNodeTainted": isolated, "ReasonNoNode": isolated, "ReasonNodeReplaced": isolated,
		"ReasonNodeUnreadable": isolated, "ReasonTaintUnsupported": isolated, "ReasonIsolationTimedOut": isolated,
		"ReasonNotAsked":     isolated + ", " + succeeded,
		"ReasonNodeRestored": restored, "ReasonRestoreTimedOut": restored + ", " + succeeded,
		"ReasonKindsNotInstalled": succeeded, "ReasonThrottled": succeeded, "ReasonNotStored": succeeded, "ReasonRecovered": succeeded, "ReasonWithdrawn": succeeded, "ReasonMachineGone": succeeded,
		"ReasonHostUnavailable": succeeded, "ReasonPowerOffTimedOut": succeeded, "ReasonPowerOnTimedOut": succeeded, "ReasonNodeTimedOut": succeeded,
	}
	values := map[string]string{}
	for name := range of {
		values[name] = strings.TrimPrefix(name, "Reason")
	}
	table := [][]string{{"condition", "reason", "meaning"}}
	for _, c := range docs.Constants(t, "conditions.go", "Reason", values) {
		conditions := docs.Code(strings.ReplaceAll(of[c.Name], ", ", "`, `"))
		table = append(table, []string{conditions, docs.Code(c.Value), c.Meaning})
	}
	docs.Section(t, referenceFile, "reboot reasons", docs.Table(table...))
}

// TestReasonsAreNamedLikeTheirConstants: the table in the reference relies on that.
func TestReasonsAreNamedLikeTheirConstants(t *testing.T) {
	data, err := os.ReadFile("conditions.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile(`\tReason(\w+)\s+= "(\w+)"`).FindAllStringSubmatch(string(data), -1) {
		if match[1] != match[2] {
			t.Errorf("Reason%s is %q", match[1], match[2])
		}
	}
}
