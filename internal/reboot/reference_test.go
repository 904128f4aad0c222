package reboot

import (
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestReference . -update

const referenceFile = "../../docs/reference.md"

// TestReferenceRebootNames renders the names that the controller reads and writes outside
// RebootRemediations.
func TestReferenceRebootNames(t *testing.T) {
	const onMachine, onHost, onRequest = "Machine", "BareMetalHost", "RebootRemediation"
	of := func(step v1alpha1.Step) string { return rebootannotation.Request + "/" + string(step) }
	table := [][]string{{"name", "on", "set by", "meaning"}}
	for _, a := range []struct{ key, on, by, meaning string }{
		{rebootannotation.Request, onMachine, "you", "Asks for a full cycle. Sickbay answers with the ID of the attempt, and removes it when the cycle has ended. Removing it calls the cycle off."},
		{rebootannotation.Request, onMachine, "Sickbay", "The ID of an attempt (operationID): a MachineRemediation has the host cycled."},
		{of(v1alpha1.StepPowerOff), onMachine, "you", "Asks for the host to be off, and to stay off until somebody asks for a next step. Sickbay removes it when the host is proven off."},
		{of(v1alpha1.StepDelete), onMachine, "you", "Asks for the Node to be taken out of service, once the host is off. Sickbay removes it when that is done, or given up."},
		{of(v1alpha1.StepPowerOn), onMachine, "you", "Asks for the host to be on again. Sickbay removes it when the host is on."},
		{HostAnnotation, "Metal3Machine, Machine of OpenShift", "Metal3", "Names the host: its namespace, which must be the same, a slash and its name."},
		{cycle.KeyPrefix + "UID", onHost, "Sickbay", "Keeps the host off, for the RebootRemediation with that UID. Its value tells the operator to cut the power, and says when Sickbay asked."},
		{cycle.ProbeKey, onHost, "Sickbay", "Beside our key: the request that the operator answers by removing it, once it has seen the host off."},
		{strings.Join(cycle.UnhealthyKeys, "`, `"), onHost, "Sickbay, Metal3, you", "Metal3 does not hand the host out to another machine. Sickbay's value is " + docs.Code(cycle.UnhealthyByUs) + "."},
		{quorum.Permission, "RebootRemediation, Cluster", "you", "`true`: Sickbay cycles hosts of its control plane even if the rest may lose its quorum, but still one at a time."},
		{cycle.Finalizer, onRequest, "Sickbay", "A finalizer: something of Sickbay's may still be on the host."},
		{cycle.NodeFinalizer, onRequest, "Sickbay", "A finalizer: the Node may still have to get back what it had, or to lose the taint."},
	} {
		table = append(table, []string{docs.Code(a.key), a.on, a.by, a.meaning})
	}
	docs.Section(t, referenceFile, "reboot names", docs.Table(table...))
}

// TestReferenceRebootEvents renders the events, including those for phases.
func TestReferenceRebootEvents(t *testing.T) {
	var normal []string
	for _, phase := range phases {
		if phase != v1alpha1.Failed {
			normal = append(normal, docs.Code(string(phase)))
		}
	}
	table := [][]string{
		{"type", "reason", "meaning"},
		{"Normal", strings.Join(normal, ", "), "Says that the cycle has come to that phase, and what it waits for, or how it has ended."},
		{"Warning", docs.Code(string(v1alpha1.Failed)), "The same, with what went wrong."},
	}
	for _, c := range docs.Constants(t, "events.go", "Event", map[string]string{"EventStepFailed": EventStepFailed, "EventKeyLost": EventKeyLost, "EventNodeGivenUp": EventNodeGivenUp}) {
		table = append(table, []string{"Warning", docs.Code(c.Value), c.Meaning})
	}
	docs.Section(t, referenceFile, "reboot events", docs.Table(table...))
}
