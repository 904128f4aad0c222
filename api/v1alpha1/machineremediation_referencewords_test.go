package v1alpha1_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// TestReferenceRemediationResults renders the results of an attempt.
func TestReferenceRemediationResults(t *testing.T) {
	docs.Section(t, referenceFile, "remediation results", docs.Table(words(t, "result", "remediationstatus.go", "Result", map[string]string{
		"ResultSucceeded":  string(v1alpha1.ResultSucceeded),
		"ResultFailed":     string(v1alpha1.ResultFailed),
		"ResultTimedOut":   string(v1alpha1.ResultTimedOut),
		"ResultWithdrawn":  string(v1alpha1.ResultWithdrawn),
		"ResultNotBegun":   string(v1alpha1.ResultNotBegun),
		"ResultImpossible": string(v1alpha1.ResultImpossible),
		"ResultAborted":    string(v1alpha1.ResultAborted),
		"ResultDenied":     string(v1alpha1.ResultDenied),
		"ResultCancelled":  string(v1alpha1.ResultCancelled),
		"ResultUnneeded":   string(v1alpha1.ResultUnneeded),
	})...))
}

// words returns the rows of a table of constants.
func words(t *testing.T, title, file, prefix string, values map[string]string) [][]string {
	t.Helper()
	table := [][]string{{title, "meaning"}}
	for _, c := range docs.Constants(t, file, prefix, values) {
		table = append(table, []string{docs.Code(c.Value), c.Meaning})
	}
	return table
}

// TestReferenceRemediationChoices renders the allowed values in plans whose fields do not explain them.
func TestReferenceRemediationChoices(t *testing.T) {
	table := [][]string{{"field", "value", "meaning"}}
	for _, field := range []struct {
		name, file, prefix string
		values             map[string]string
	}{
		{"doneWhen", "remediationstep.go", "DoneWhen", map[string]string{
			"DoneWhenMachineHealthy": string(v1alpha1.DoneWhenMachineHealthy), "DoneWhenRequestSucceeded": string(v1alpha1.DoneWhenRequestSucceeded),
		}},
		{"by", "remediationstep.go", "ReplaceBy", map[string]string{
			"ReplaceByOwner": string(v1alpha1.ReplaceByOwner), "ReplaceByDeletion": string(v1alpha1.ReplaceByDeletion),
		}},
		{"approval", "remediationstep.go", "Approval", map[string]string{
			"ApprovalNotRequired": string(v1alpha1.ApprovalNotRequired), "ApprovalRequired": string(v1alpha1.ApprovalRequired),
		}},
		{"mode", "remediationplan.go", "Mode", map[string]string{
			"ModeObserve": string(v1alpha1.ModeObserve), "ModeApprove": string(v1alpha1.ModeApprove), "ModeAct": string(v1alpha1.ModeAct),
		}},
	} {
		for _, word := range words(t, "", field.file, field.prefix, field.values)[1:] {
			table = append(table, append([]string{docs.Code(field.name)}, word...))
		}
	}
	docs.Section(t, referenceFile, "remediation choices", docs.Table(table...))
}

// TestReferenceRemediationNames renders the labels, annotations and the finalizer.
func TestReferenceRemediationNames(t *testing.T) {
	docs.Section(t, referenceFile, "remediation names", docs.Table(words(t, "name", "remediationnames.go", "", map[string]string{
		"OpenLabel":            v1alpha1.OpenLabel,
		"MachineUIDLabel":      v1alpha1.MachineUIDLabel,
		"OrdinalAnnotation":    v1alpha1.OrdinalAnnotation,
		"RemediationFinalizer": v1alpha1.RemediationFinalizer,
		"OperationAnnotation":  v1alpha1.OperationAnnotation,
	})...))
}
