package verdict

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestConcepts . -update

const conceptsFile = "../../../docs/concepts.md"

// concept is a row of a table in docs/concepts.md: what is observed, in words and as facts. Decide
// provides the rest of the row.
type concept struct {
	stage, observed string
	facts           Facts
}

// verdictConcepts use the rules of the function facts, which the page states above the table.
func verdictConcepts() []concept {
	late, soon := ago(6*time.Minute), ago(time.Minute)
	return []concept{
		{"asked for", "annotation `cluster.x-k8s.io/remediate-machine` on the Machine", facts(machine(remediate()))},
		{"unhealthy", "the Machine is in phase Failed", facts(machine(build.InPhase("Failed", soon)))},
		{"", "its provider says that it has failed (`failureMessage`)", facts(machine(hasFailed("", providerSays)))},
		{"", "the Machine is in phase Provisioning, for `sickbay.dev/provisioning-timeout` or longer", facts(machine(build.InPhase("Provisioning", late)))},
		{"", "its BareMetalHost has an error, for `sickbay.dev/host-error-timeout` or longer", facts(hostError(late))},
		{"", "no nodeRef, startup timeout exceeded", facts(machineWithoutNode())},
		{"", "nodeRef set, Node gone, Machine not being deleted", facts(nodeGone)},
		{"", "a Machine condition matches, for its timeout or longer", facts(machine(noDisk(late)))},
		{"", "a Node condition matches, for its timeout or longer", facts(notReady(late))},
		{"", "several of these at once", facts(machine(noDisk(late)), notReady(late))},
		{"not decided", "nodeRef set, Node gone, Machine being deleted", facts(machine(deleting()), nodeGone)},
		{"", "nodeRef set, workload cluster cannot be read", facts(lost(late))},
		{"", "the same for less than the grace period, and the Machine was healthy", facts(wasHealthy, lost(soon))},
		{"", "the Machine is in phase Provisioning, not yet for `sickbay.dev/provisioning-timeout`", facts(machineProvisioning(soon))},
		{"", "no nodeRef, startup timeout not exceeded", facts(machineWithoutNode(build.CreatedAt(soon)))},
		{"", "a Node condition matches, not yet for its timeout", facts(notReady(soon))},
		{"", "a Machine condition matches, not yet for its timeout", facts(machine(noDisk(soon)))},
		{"healthy", "Node exists, nothing matches", facts()},
		{"", "the same, and its BareMetalHost has an error, not yet for `sickbay.dev/host-error-timeout`", facts(hostError(soon))},
	}
}

func clusterNotUpConcepts() []concept {
	noInfrastructure, noControlPlane := cluster(build.InfrastructureNotReady()), cluster(build.ControlPlaneNotInitialized())
	return []concept{
		{"", "finding, Cluster infrastructure not ready", facts(nodeGone, noInfrastructure)},
		{"", "finding on a worker, control plane not initialized", facts(nodeGone, noControlPlane)},
		{"", "finding on a control-plane Machine, control plane not initialized", facts(machine(build.ControlPlane()), nodeGone, noControlPlane)},
		{"", "no finding, Cluster infrastructure not ready", facts(noInfrastructure)},
		{"", "remediation asked for, Cluster infrastructure not ready", facts(machine(remediate()), noInfrastructure)},
	}
}

// severalConcepts are about two MachineHealthChecks: the older one asks for another condition, Maintenance=True, than the younger one.
func severalConcepts() []concept {
	maintenance := func(since time.Time) fact {
		return machine(build.Condition("Maintenance", metav1.ConditionTrue, "Planned", since))
	}
	older := func(stopped string) fact {
		return func(f *Facts) {
			f.More = []mhcspec.Rules{f.Rules}
			f.Rules = mhcspec.Rules{Stopped: stopped, MachineConditions: []mhcspec.ConditionRule{{Type: "Maintenance", Status: "True", Timeout: 5 * time.Minute}}}
		}
	}
	paused := older("MachineHealthCheck maintenance is paused: MachineHealthCheck has the cluster.x-k8s.io/paused annotation")
	late, soon := ago(6*time.Minute), ago(time.Minute)
	return []concept{
		{"", "both find it sick", facts(older(""), maintenance(late), notReady(late))},
		{"", "one finds it sick, the other nothing", facts(older(""), notReady(late))},
		{"", "one finds it sick, the other not yet", facts(older(""), maintenance(soon), notReady(late))},
		{"", "one finds nothing, the other something that is not yet sick", facts(older(""), maintenance(soon))},
		{"", "both find nothing", facts(older(""))},
		{"", "one is paused, the other finds nothing", facts(paused, maintenance(late))},
		{"", "one is paused, the other finds it sick", facts(paused, maintenance(late), notReady(late))},
	}
}

// gpu is a condition of the Node, with its last heartbeat.
func gpu(status corev1.ConditionStatus, since, heard time.Time) build.NodeOption {
	return build.NodeFunc(func(n *corev1.Node) {
		n.Status.NodeInfo.BootID = "5f2c9d1e-8a4b-4c6d-9e0f-1a2b3c4d5e6f"
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{
			Type: "GpuHealthy", Status: status, Reason: "XidError", LastTransitionTime: metav1.NewTime(since), LastHeartbeatTime: metav1.NewTime(heard),
		})
	})
}

// signal has the settings of the page's table for a Node, and what is remembered of it.
func signal(settings, remembered string, nodeOptions ...build.NodeOption) Facts {
	return facts(rules(build.Annotation(mhcspec.SignalsAnnotation, "GpuHealthy: {"+settings+"}"), build.UnhealthyNodeCondition("GpuHealthy", corev1.ConditionFalse, 5*time.Minute)),
		node(nodeOptions...), machine(build.Condition(TrustConditionType, metav1.ConditionTrue, ReasonSignalsTrusted, ago(time.Hour)).WithMessage(remembered)))
}

// signalConcepts are about a MachineHealthCheck whose rule is GpuHealthy=False for 5 minutes.
func signalConcepts() []concept {
	at := func(times ...time.Time) string {
		var all []string
		for _, one := range times {
			all = append(all, one.UTC().Format(time.RFC3339))
		}
		return " seen at " + strings.Join(all, ", ")
	}
	late, soon := ago(6*time.Minute), ago(time.Minute)
	const silent, latched, first, flaps = "silentAfter: 15m", "bootGrace: 5m", "clock: FirstSeen", "flaps: 3, flapWindow: 1h"
	boot := "Remembered: boot=5f2c9d1e" + at(ago(30*time.Minute)) + "; GpuHealthy=False"
	flapped := "Remembered: GpuHealthy=False before" + at(ago(50*time.Minute), ago(30*time.Minute), ago(10*time.Minute))
	return []concept{
		{"`" + silent + "`", "it matches, and its last heartbeat was 20 minutes ago", signal(silent, "", gpu("False", late, ago(20*time.Minute)))},
		{"", "the same, and the kubelet is silent, too: `Ready=Unknown`", signal(silent, "", gpu("False", late, ago(20*time.Minute)), build.NodeReady(metav1.ConditionUnknown, soon))},
		{"", "the last heartbeat was a minute ago", signal(silent, "", gpu("False", late, soon))},
		{"`" + latched + "`", "it matches since 3 minutes after the last boot", signal(latched, boot+at(ago(27*time.Minute)), gpu("False", late, soon))},
		{"", "it matches since 24 minutes after the last boot", signal(latched, boot+at(late), gpu("False", late, soon))},
		{"`" + first + "`", "it matches since its last transition a minute ago, and Sickbay first saw it 6 minutes ago", signal(first, "Remembered: GpuHealthy=False"+at(late), gpu("False", soon, soon))},
		{"`" + flaps + "`", "it does not match now, and became False 50, 30 and 10 minutes ago", signal(flaps, flapped, gpu("True", soon, soon))},
	}
}

func TestConceptsSignals(t *testing.T) {
	table := [][]string{{"setting", "observed", "status", "reason", "message", "changes by itself"}}
	for _, c := range signalConcepts() {
		table = append(table, append([]string{c.stage}, c.render()...))
	}
	docs.Section(t, conceptsFile, "signals", docs.Table(table...))
}

func TestConceptsSeveral(t *testing.T) {
	table := [][]string{{"observed", "status", "reason", "message", "changes by itself"}}
	for _, c := range severalConcepts() {
		table = append(table, c.render())
	}
	docs.Section(t, conceptsFile, "several checks", docs.Table(table...))
}

func TestConceptsVerdicts(t *testing.T) {
	table := [][]string{{"stage", "observed", "status", "reason", "message", "changes by itself"}}
	for _, c := range verdictConcepts() {
		table = append(table, append([]string{c.stage}, c.render()...))
	}
	docs.Section(t, conceptsFile, "verdicts", docs.Table(table...))
}

func TestConceptsClusterNotUp(t *testing.T) {
	table := [][]string{{"observed", "status", "reason", "message", "changes by itself"}}
	for _, c := range clusterNotUpConcepts() {
		table = append(table, c.render())
	}
	docs.Section(t, conceptsFile, "cluster not up", docs.Table(table...))
}

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
	"ReasonWaitingForInfrastructure":    ReasonWaitingForInfrastructure,
	"ReasonWaitingForControlPlane":      ReasonWaitingForControlPlane,
	"ReasonDetectorSilent":              ReasonDetectorSilent,
	"ReasonDetectorLatched":             ReasonDetectorLatched,
	"ReasonPaused":                      ReasonPaused,
}

// TestConceptsAreComplete: each reason is in the tables.
func TestConceptsAreComplete(t *testing.T) {
	var shown []string
	for _, c := range slices.Concat(verdictConcepts(), clusterNotUpConcepts(), severalConcepts(), signalConcepts()) {
		shown = append(shown, verdictOf(c.facts, now).Reason)
	}
	for _, reason := range docs.Constants(t, "conditions.go", "Reason", reasons) {
		if !slices.Contains(shown, reason.Value) {
			t.Errorf("no table of %s has a row for the reason %s", conceptsFile, reason.Value)
		}
	}
}

// render judges the facts, and returns the row from the observation on.
func (c concept) render() []string {
	v := verdictOf(c.facts, now)
	changes := ""
	if v.Recheck > 0 {
		changes = fmt.Sprintf("in %s", v.Recheck)
	}
	return []string{c.observed, string(v.Status), docs.Code(v.Reason), v.Message, changes}
}
