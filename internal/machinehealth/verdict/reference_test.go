package verdict

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestReference . -update

const referenceFile = "../../../docs/reference.md"

// reasons are the values of the constants, by name; the test fails if one is missing here.
var reasons = map[string]string{
	"ReasonSucceeded":                   ReasonSucceeded,
	"ReasonRemediateAnnotation":         ReasonRemediateAnnotation,
	"ReasonMachineFailed":               ReasonMachineFailed,
	"ReasonMachineProvisioningTimedOut": ReasonMachineProvisioningTimedOut,
	"ReasonHostError":                   ReasonHostError,
	"ReasonNodeStartupTimedOut":         ReasonNodeStartupTimedOut,
	"ReasonNodeNotFound":                ReasonNodeNotFound,
	"ReasonDeleting":                    ReasonDeleting,
	"ReasonNodeUnavailable":             ReasonNodeUnavailable,
	"ReasonWaitingForProvisioning":      ReasonWaitingForProvisioning,
	"ReasonWaitingForNodeRef":           ReasonWaitingForNodeRef,
	"ReasonNodeConditionsNotYet":        ReasonNodeConditionsNotYet,
	"ReasonMachineConditionsNotYet":     ReasonMachineConditionsNotYet,
	"ReasonPaused":                      ReasonPaused,
	"ReasonWaitingForInfrastructure":    ReasonWaitingForInfrastructure,
	"ReasonWaitingForControlPlane":      ReasonWaitingForControlPlane,
}

func TestReferenceMachineReasons(t *testing.T) {
	table := [][]string{{"reason", "meaning"}}
	for _, c := range docs.Constants(t, "conditions.go", "Reason", reasons) {
		table = append(table, []string{docs.Code(c.Value), c.Meaning})
	}
	table = append(table, []string{
		docs.Code(reasonFor("Ready")), "A Node or Machine condition matched for its timeout; this is the reason for the type `Ready`.",
	}, []string{docs.Code(reasonFor("example.com/disk-ok")), "The same for the type `example.com/disk-ok`."})
	docs.Section(t, referenceFile, "machine reasons", docs.Table(table...))
}
