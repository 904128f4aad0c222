package machinehealthcheck

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck/adoption"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

//go:generate go test -run ^TestReference . -update

const referenceFile = "../../../docs/reference.md"

func TestReferenceHealthCheckEvents(t *testing.T) {
	table := [][]string{{"reason", "meaning"}}
	for _, c := range docs.Constants(t, "events.go", "Event", map[string]string{
		"EventRestricted":           EventRestricted,
		"EventAllowed":              EventAllowed,
		"EventInvalidConfiguration": EventInvalidConfiguration,
		"EventKindsNotInstalled":    EventKindsNotInstalled,
		"EventOnHold":               EventOnHold,
		"EventTemplateNotFound":     EventTemplateNotFound,
		"EventAdmissionFailed":      EventAdmissionFailed,
		"EventOwnerRefused":         EventOwnerRefused,
		"EventOverlapping":          EventOverlapping,
		"EventSignalSuspected":      EventSignalSuspected,
	}) {
		table = append(table, []string{docs.Code(c.Value), c.Meaning})
	}
	for _, c := range docs.Constants(t, "adoption/controller.go", "Event", map[string]string{
		"EventAdopted":   adoption.EventAdopted,
		"EventGivenBack": adoption.EventGivenBack,
	}) {
		table = append(table, []string{docs.Code(c.Value), c.Meaning})
	}
	docs.Section(t, referenceFile, "health check events", docs.Table(table...))
}

func TestReferenceAnnotations(t *testing.T) {
	const onCheck, onCluster, onMachine = "MachineHealthCheck", "Cluster", "Machine"
	table := [][]string{{"annotation", "on", "set by", "effect"}}
	for _, a := range []struct{ key, on, by, effect string }{
		{
			mhcspec.MaxInFlightAnnotation, onCheck, "you",
			"At most this many remediations are in flight at once: a number, or a percentage of the Machines, rounded down but at least one.",
		},
		{mhcspec.DryRunAnnotation, onCheck, "you", "`true`: Sickbay says in the condition `DryRun` what it would do, and does nothing."},
		{
			mhcspec.StrategyAnnotation, onCheck, "you",
			"`" + string(mhcspec.StrategyReboot) + "`: ask for a power cycle of the host instead of a replacement.",
		},
		{mhcspec.ExternalStrategyAnnotation, onCheck, "you", "`external-baremetal`: the same, in OpenShift's words, on a MachineHealthCheck of Cluster API."},
		{
			mhcspec.ProvisioningTimeoutAnnotation, onCheck, "you",
			"Go duration. A Machine that is in phase Provisioning for this long is unhealthy. Without it, or with `0`, Sickbay does not judge that.",
		},
		{
			mhcspec.HostErrorTimeoutAnnotation, onCheck, "you",
			"Go duration. A Machine whose BareMetalHost has had an error for this long is unhealthy. Likewise.",
		},
		{
			mhcspec.SignalsAnnotation, onCheck, "you",
			"YAML: when conditions of Nodes are believed, by type; see [concepts](concepts.md#trust-in-signals). Nothing is repaired while it cannot be read.",
		},
		{
			mhcspec.ResumedAtAnnotation, onCheck, "you, Sickbay",
			"RFC 3339 time. No timeout counts from before it. Sickbay sets it at the end of a pause for an upgrade.",
		},
		{pause.OptionAnnotation, onCheck, "you", "`false`: Sickbay does not pause it while its cluster upgrades."},
		{pause.OptionAnnotation, onCluster, "you", "`true`: Sickbay pauses the MachineHealthChecks of the Cluster while it upgrades. `false`: it never does, not while OpenShift upgrades either."},
		{
			clusterv1.PausedAnnotation, onCheck, "you",
			"The MachineHealthCheck is paused; with the value `" + mhcspec.HandedOverValue + "` it is handed over to Sickbay instead.",
		},
		{
			clusterv1.PausedAnnotation, onCheck, "Sickbay",
			"`" + mhcspec.UpgradeValue + "`: paused while its cluster upgrades. If someone changes that, Sickbay leaves it so during this upgrade.",
		},
		{pause.MarkerAnnotation, onCheck, "Sickbay", "Empty. The pause is Sickbay's, and ends with the upgrade; without it the pause stays. One that is handed over is paused by this alone, and keeps its value: remove it to unpause."},
		{pause.HandledAnnotation, onCheck, "Sickbay", "The current upgrades that it has been paused for, or that somebody else pauses it during."},
		{pause.PausedAtAnnotation, onCheck, "Sickbay", "RFC 3339 time at which Sickbay paused it."},
		{pause.WarnedAtAnnotation, onCheck, "Sickbay", "RFC 3339 time of the last warning that the pause is long."},
		{pause.SettlingAnnotation, onCheck, "Sickbay", "RFC 3339 time since which the upgrade is over, and Sickbay waits for Nodes to get Ready."},
		{clusterv1.PausedAnnotation, onMachine, "you", "The Machine is left untouched, and not counted."},
		{
			clusterv1.MachineSkipRemediationAnnotation, onMachine, "you",
			"The Machine is not counted and never remediated; Sickbay takes back what it wrote.",
		},
		{
			mhcspec.HoldUntilAnnotation, "Machine, MachineHealthCheck, Cluster", "you",
			"RFC 3339 time. Until then, Sickbay repairs nothing there, but still gives verdicts. A time that cannot be read holds until somebody corrects it.",
		},
		{mhcspec.HoldReasonAnnotation, "Machine, MachineHealthCheck, Cluster", "you", "Why; messages repeat it."},
		{clusterv1.RemediateMachineAnnotation, onMachine, "you", "The Machine is unhealthy at once, whatever the value. Limits and budgets still hold."},
		{rebootannotation.Request, onMachine, "you, Sickbay", "Asks for a power cycle; see above."},
		{
			ask.External, "Machine of OpenShift", "OpenShift",
			"With `--openshift-external-remediation`, asks for a power cycle. Sickbay removes it when the machine is healthy.",
		},
		{rebootannotation.Outcome, "Machine of OpenShift", "Sickbay", "Why cycling its host has not healed it, and what to do. It goes with the one above."},
	} {
		table = append(table, []string{docs.Code(a.key), a.on, a.by, a.effect})
	}
	docs.Section(t, referenceFile, "annotations", docs.Table(table...))
}

func TestReferenceFieldOwners(t *testing.T) {
	table := [][]string{{"field owner", "writes"}}
	for _, o := range [][2]string{
		{machinehealth.FieldOwner, "`HealthCheckSucceeded`, `HostHealthy` and `SignalsTrusted` on Machines"},
		{remedy.FieldOwner, "the status of MachineRemediations and their templates, and what they ask for: `OwnerRemediated` and the annotations about reboots on Machines, and requests"},
		{FieldOwner, "the status of MachineHealthChecks, and `spec.grant` of MachineRemediations"},
		{metadataFieldOwner, "the label and the owner reference on MachineHealthChecks"},
		{upgradepause.FieldOwner, "the annotations about pauses for upgrades on MachineHealthChecks"},
		{reboot.FieldOwner, "RebootRemediations of records, annotations of BareMetalHosts and Machines, and Nodes"},
		{intake.FieldOwner, "MachineRemediations that others ask for, what the RebootRemediations by which they asked say, `ExternallyRemediated` on Machines, and the annotations about external remediation on Machines of OpenShift"},
		{adoption.FieldOwner, "the annotation that hands MachineHealthChecks over, as do " + docs.Code(adoption.NamespaceOwner) + " and " + docs.Code(adoption.UpgradeOwner)},
		{ownwrites.CommandFieldOwner, "what people do by commands; on the dashboard, " + docs.Code(ownwrites.DashboardFieldOwner)},
	} {
		table = append(table, []string{docs.Code(o[0]), o[1]})
	}
	docs.Section(t, referenceFile, "field owners", docs.Table(table...))
}
