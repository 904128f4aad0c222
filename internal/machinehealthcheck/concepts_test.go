package machinehealthcheck

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestConcepts . -update

const conceptsFile = "../../docs/concepts.md"

// TestConceptsCounts renders as what a Machine counts.
func TestConceptsCounts(t *testing.T) {
	table := [][]string{{"Machine", "counts as", "healthy", "in flight"}}
	for _, c := range []struct {
		observed string
		target   Target
	}{
		{"verdict True", healthy("m")},
		{"verdict False", sick("m")},
		{"verdict False, marked for its owner", sick("m", marked(metav1.ConditionFalse))},
		{"verdict False, a request stands", withRequest(sick("m"))},
		{"verdict False, a power cycle is asked for", sick("m", build.Annotation(remedy.RebootAnnotation, ""))},
		{"verdict Unknown", pending("m")},
		{"no verdict yet", target("m")},
		{"being deleted, whatever the verdict", healthy("m", build.Deleting(now))},
		{"verdict True, its mark still stands", healthy("m", marked(metav1.ConditionFalse))},
		{"verdict True, its request still stands", withRequest(healthy("m"))},
	} {
		counts := count([]Target{c.target})
		as := map[bool]string{
			counts.Healthy == 1: "healthy", counts.Sick == 1: "sick", counts.Undecided == 1: "undecided", counts.Deleting == 1: "being deleted",
		}[true]
		table = append(table, []string{c.observed, as, yes(counts.Unhealthy() == 0), yes(counts.InFlight == 1)})
	}
	docs.Section(t, conceptsFile, "counts", docs.Table(table...))
}

// TestConceptsAllowed renders the condition RemediationAllowed, for some Machines and what is set on
// their MachineHealthCheck.
func TestConceptsAllowed(t *testing.T) {
	some := []Target{sick("a"), pending("b"), healthy("c", build.Deleting(now)), healthy("d"), healthy("e")}
	starting := []Target{pending("a"), pending("b"), pending("c"), healthy("d"), healthy("e")}
	atMost := func(value string) build.MachineHealthCheckOption { return build.TriggerIfAtMost(intstr.Parse(value)) }
	table := [][]string{{"5 machines, 2 healthy, and", "set", "status", "reason", "message", "`remediationsAllowed`"}}
	var shown []string
	for _, c := range []struct {
		observed, set string
		targets       []Target
		mhc           *clusterv1.MachineHealthCheck
	}{
		{"1 sick", "nothing", some, check()},
		{"1 sick", "`unhealthyLessThanOrEqualTo: 3`", some, check(atMost("3"))},
		{"1 sick", "`unhealthyLessThanOrEqualTo: 50%`", some, check(atMost("50%"))},
		{"1 sick", "`unhealthyInRange: \"[1-4]\"`", some, check(build.TriggerIfInRange("[1-4]"))},
		{"1 sick", "`unhealthyInRange: \"[4-5]\"`", some, check(build.TriggerIfInRange("[4-5]"))},
		{"1 sick", "both: the range takes precedence", some, check(atMost("0"), build.TriggerIfInRange("[1-4]"))},
		{"1 sick", "`sickbay.dev/max-in-flight: \"2\"`", some, check(maxInFlight("2"))},
		{"none sick: 3 are starting", "`unhealthyLessThanOrEqualTo: 2`", starting, check(atMost("2"))},
		{"1 sick", "`sickbay.dev/max-in-flight: lots`", some, check(maxInFlight("lots"))},
		{"1 sick", "`sickbay.dev/provisioning-timeout: \"30\"`", some, check(build.Annotation(machinehealth.ProvisioningTimeoutAnnotation, "30"))},
		{"1 sick", "`unhealthyInRange: \"[5-3]\"`", some, check(build.TriggerIfInRange("[5-3]"))},
	} {
		d := Decide(facts(c.mhc, c.targets...), now)
		condition := allowedCondition(d)
		shown = append(shown, condition.Reason)
		table = append(table, []string{
			c.observed, c.set, string(condition.Status), docs.Code(condition.Reason), condition.Message, strconv.Itoa(d.RemediationsAllowed()),
		})
	}
	for _, reason := range []string{
		ReasonRemediationAllowed, ReasonTooManyUnhealthy, ReasonTooFewUnhealthy, ReasonNoneSick, ReasonInvalidConfiguration,
	} {
		if !slices.Contains(shown, reason) {
			t.Errorf("no row has the reason %s", reason)
		}
	}
	docs.Section(t, conceptsFile, "allowed", docs.Table(table...))
}

// TestConceptsRemedies renders which remedy a sick Machine gets.
func TestConceptsRemedies(t *testing.T) {
	writes := map[remedy.Kind]string{
		remedy.Owner:   "condition `OwnerRemediated=False` on the Machine; its owner replaces it",
		remedy.Delete:  "the Machine is deleted",
		remedy.Request: "a request of the template's kind, less the word Template; whoever owns that kind repairs the machine",
		remedy.Reboot:  "annotation `reboot.metal3.io` on the Machine",
	}
	table := [][]string{{"MachineHealthCheck", "sick Machine", "remedy", "what is written"}}
	for _, c := range []struct {
		set, machine string
		mhc          *clusterv1.MachineHealthCheck
		target       Target
	}{
		{"`templateRef`", "any", check(byTemplate()), sick("m")},
		{"`templateRef` and `sickbay.dev/remediation: reboot`", "any", check(byTemplate(), byReboot()), sick("m")},
		{"`sickbay.dev/remediation: reboot`", "any", check(byReboot()), sick("m")},
		{"`machine.openshift.io/remediation-strategy: external-baremetal`", "any", check(byExternal()), sick("m")},
		{"none of these", "a controller owns it", check(), sick("m")},
		{"none of these", "no controller owns it", check(), sick("m", orphan())},
	} {
		d := Decide(facts(c.mhc, c.target), now)
		if len(d.Remedies) != 1 {
			t.Fatalf("%s: got remedies %v, want one", c.set, remedies(d))
		}
		kind := d.Remedies[0].Kind
		table = append(table, []string{c.set, c.machine, string(kind), writes[kind]})
	}
	docs.Section(t, conceptsFile, "remedies", docs.Table(table...))
}

// TestConceptsSpared renders which Machines get no remedy although remediation is allowed.
func TestConceptsSpared(t *testing.T) {
	rebooted := build.Annotation(remedy.RebootRequestedAtAnnotation, ago(time.Minute).Format(time.RFC3339))
	noTemplate := facts(check(byTemplate()), sick("a"))
	noTemplate.Template.Missing = "remediation template FixRemediationTemplate fix does not exist"
	table := [][]string{{"observed", "remedies", "waiting"}}
	for _, c := range []struct {
		observed string
		facts    Facts
	}{
		{"a and b are sick, b for longer, no budget", facts(check(), sick("a"), sick("b", verdict(metav1.ConditionFalse, ago(time.Hour))))},
		{"the same with `sickbay.dev/max-in-flight: \"1\"`", facts(check(maxInFlight("1")), sick("a"), sick("b", verdict(metav1.ConditionFalse, ago(time.Hour))))},
		{"a is sick, c is being deleted, `max-in-flight: \"1\"`", facts(check(maxInFlight("1")), sick("a"), healthy("c", build.Deleting(now)))},
		{"a is marked for its owner already", facts(check(), sick("a", marked(metav1.ConditionFalse)))},
		{"a has a request already", facts(check(byTemplate()), withRequest(sick("a")))},
		{"a is sick and being deleted", facts(check(), sick("a", build.Deleting(now)))},
		{"the template does not exist", noTemplate},
		{"a was rebooted a minute ago and is still sick", facts(check(byReboot()), sick("a", rebooted))},
		{"a is undecided", facts(check(), pending("a"))},
	} {
		d := Decide(c.facts, now)
		table = append(table, []string{c.observed, strings.Join(remedies(d), ", "), strings.Join(waiting(d), ", ")})
	}
	docs.Section(t, conceptsFile, "spared", docs.Table(table...))
}

// TestConceptsPaused renders what pauses a MachineHealthCheck.
func TestConceptsPaused(t *testing.T) {
	table := [][]string{{"observed", "paused", "message"}}
	for _, c := range []struct {
		observed string
		mhc      *clusterv1.MachineHealthCheck
		cluster  *clusterv1.Cluster
	}{
		{"Cluster `spec.paused: true`", check(), build.Cluster(ns, "cluster", build.Paused())},
		{
			"annotation `cluster.x-k8s.io/paused` on the MachineHealthCheck, any value but those below",
			check(build.Annotation(clusterv1.PausedAnnotation, "")), build.Cluster(ns, "cluster"),
		},
		{"annotation `cluster.x-k8s.io/paused: sickbay`", check(handedOver()), build.Cluster(ns, "cluster")},
		{"the same, and Cluster `spec.paused: true`", check(handedOver()), build.Cluster(ns, "cluster", build.Paused())},
		{
			"annotation `cluster.x-k8s.io/paused: upgrade`, or `sickbay-upgrade`, with Sickbay's marker",
			check(build.Annotation(clusterv1.PausedAnnotation, targets.HandedOverUpgradeValue), build.Annotation(targets.UpgradeMarker, "")),
			build.Cluster(ns, "cluster"),
		},
	} {
		f := facts(c.mhc)
		f.Cluster = c.cluster
		d := Decide(f, now)
		table = append(table, []string{c.observed, yes(len(d.Paused) > 0), strings.Join(d.Paused, ", ")})
	}
	docs.Section(t, conceptsFile, "paused", docs.Table(table...))
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
