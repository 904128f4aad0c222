package v1alpha1_test

import (
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

const conditionsFile = "remediationconditions.go"

func TestReferenceRemediationConditions(t *testing.T) {
	table := words(t, "condition", conditionsFile, "Condition", map[string]string{
		"ConditionProgressing": v1alpha1.ConditionProgressing,
		"ConditionAccepted":    v1alpha1.ConditionAccepted,
	})
	// RebootRemediations define its constant.
	table = append(table, []string{docs.Code(v1alpha1.ConditionSucceeded), "Says how a MachineRemediation has ended."})
	docs.Section(t, referenceFile, "remediation conditions", docs.Table(table...))
}

// ends are the reasons of Succeeded that only MachineRemediations have.
var ends = map[string]string{
	"ReasonRecoveredUnaided": v1alpha1.ReasonRecoveredUnaided, "ReasonReplaced": v1alpha1.ReasonReplaced,
	"ReasonReplacementFailed": v1alpha1.ReasonReplacementFailed, "ReasonMachineDeleted": v1alpha1.ReasonMachineDeleted,
	"ReasonUnproven": v1alpha1.ReasonUnproven, "ReasonHandedBack": v1alpha1.ReasonHandedBack, "ReasonHandedOver": v1alpha1.ReasonHandedOver,
	"ReasonDone": v1alpha1.ReasonDone, "ReasonNotDone": v1alpha1.ReasonNotDone, "ReasonSuperseded": v1alpha1.ReasonSuperseded,
}

// goingOn are the reasons of Progressing.
var goingOn = map[string]string{
	"ReasonApprovalRequired": v1alpha1.ReasonApprovalRequired, "ReasonGateClosed": v1alpha1.ReasonGateClosed, "ReasonPaused": v1alpha1.ReasonPaused,
	"ReasonOnHold": v1alpha1.ReasonOnHold, "ReasonPaced": v1alpha1.ReasonPaced, "ReasonNoSlot": v1alpha1.ReasonNoSlot, "ReasonBackoff": v1alpha1.ReasonBackoff,
	"ReasonRefused": v1alpha1.ReasonRefused, "ReasonRemediationHeldByOthers": v1alpha1.ReasonRemediationHeldByOthers, "ReasonUndecided": v1alpha1.ReasonUndecided,
	"ReasonActing": v1alpha1.ReasonActing, "ReasonWithdrawing": v1alpha1.ReasonWithdrawing, "ReasonProbation": v1alpha1.ReasonProbation,
	"ReasonDeletionOverdue": v1alpha1.ReasonDeletionOverdue, "ReasonWaitingForReplacement": v1alpha1.ReasonWaitingForReplacement, "ReasonNoStepLeft": v1alpha1.ReasonNoStepLeft, "ReasonHoldStep": v1alpha1.ReasonHoldStep,
	"ReasonNotBegun": v1alpha1.ReasonNotBegun, "ReasonUnreadable": v1alpha1.ReasonUnreadable,
	"ReasonDenied": v1alpha1.ReasonDenied, "ReasonCancelled": v1alpha1.ReasonCancelled, "ReasonPlanProblem": v1alpha1.ReasonPlanProblem, "ReasonEnded": v1alpha1.ReasonEnded,
}

// TestReferenceRemediationReasons renders the reasons, each with the conditions that may have it.
func TestReferenceRemediationReasons(t *testing.T) {
	values := maps.Clone(ends)
	maps.Copy(values, goingOn)
	table := [][]string{{"condition", "reason", "meaning"}}
	for _, c := range docs.Constants(t, conditionsFile, "Reason", values) {
		condition := docs.Code(v1alpha1.ConditionProgressing)
		if _, ok := ends[c.Name]; ok {
			condition = docs.Code(v1alpha1.ConditionSucceeded)
		}
		if c.Value == v1alpha1.ReasonCancelled {
			condition += ", " + docs.Code(v1alpha1.ConditionSucceeded)
		}
		table = append(table, []string{condition, docs.Code(c.Value), c.Meaning})
	}
	// RebootRemediations define its constant.
	table = append(table, []string{docs.Code(v1alpha1.ConditionSucceeded), docs.Code(v1alpha1.ReasonRecovered), "The machine is healthy after what was done, and its probation is over."})
	docs.Section(t, referenceFile, "remediation reasons", docs.Table(table...))
}

// TestReasonsOfRemediationsAreNamedLikeTheirConstants, except for a prefix where RebootRemediations have the same name.
func TestReasonsOfRemediationsAreNamedLikeTheirConstants(t *testing.T) {
	data, err := os.ReadFile(conditionsFile)
	if err != nil {
		t.Fatal(err)
	}
	matches := regexp.MustCompile(`\tReason(\w+)\s+= "(\w+)"`).FindAllStringSubmatch(string(data), -1)
	if len(matches) != len(ends)+len(goingOn) {
		t.Errorf("there are %d reasons, and %d in the test", len(matches), len(ends)+len(goingOn))
	}
	for _, match := range matches {
		if strings.TrimPrefix(match[1], "Remediation") != match[2] {
			t.Errorf("Reason%s is %q", match[1], match[2])
		}
	}
}
