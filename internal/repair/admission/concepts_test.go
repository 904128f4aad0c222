package admission

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestConcepts . -update

const conceptsFile = "../../../docs/concepts.md"

// TestConceptsCounts renders as what a Machine counts.
func TestConceptsCounts(t *testing.T) {
	table := [][]string{{"Machine", "counts as", "healthy for an upper bound", "healthy for a lower bound", "in flight"}}
	one := func(t Target, records ...*v1alpha1.MachineRemediation) Facts {
		return facts(check(), t).with(records...)
	}
	for _, c := range []struct {
		observed string
		facts    Facts
	}{
		{"verdict True", one(healthy("m"))},
		{"verdict False", one(sick("m"))},
		{"verdict Unknown", one(pending("m"))},
		{"no verdict yet", one(target("m"))},
		{"verdict True, and judging it now says otherwise", one(seen(healthy("m"), metav1.ConditionFalse))},
		{"verdict False, its remediation has a slot", one(sick("m"), recordOf("m"))},
		{"verdict False, its remediation has given its slot back", one(sick("m"), recordOf("m", waitsFor(time.Hour)))},
		{"verdict True, its remediation still has a slot", one(healthy("m"), recordOf("m"))},
		{"being deleted, whatever the verdict", one(healthy("m", build.Deleting(now)))},
		{"being deleted for an hour or longer", one(healthy("m", build.Deleting(now.Add(-ladder.DeletionTime))))},
		{"gone, its remediation still has a slot", facts(check()).with(recordOf("m"))},
	} {
		counts := count(c.facts.Targets)
		as := map[bool]string{
			counts.Expected == 0: "", counts.Healthy == 1: "healthy", counts.Sick == 1: "sick", counts.Undecided == 1: "undecided",
			counts.Unconfirmed == 1: "unconfirmed", counts.Deleting == 1: "being deleted",
		}[true]
		above, below := "", ""
		if counts.Expected > 0 {
			above, below = yes(counts.Unhealthy() == 0), yes(counts.Confirmed() == 0)
		}
		table = append(table, []string{c.observed, as, above, below, yes(len(c.facts.inFlight(now)) == 1)})
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
		{"1 sick", "also `unhealthyInRange: \"[1-4]\"`, which takes precedence", some, check(atMost("50%"), build.TriggerIfInRange("[1-4]"))},
		{"1 sick", "`unhealthyInRange: \"[4-5]\"`", some, check(build.TriggerIfInRange("[4-5]"))},
		{"1 sick", "`sickbay.dev/max-in-flight: \"2\"`", some, check(maxInFlight("2"))},
		{"1 sick", "`sickbay.dev/hold-until`", some, check(onHold(now.Add(time.Hour)))},
		{"none sick: 3 are starting", "`unhealthyLessThanOrEqualTo: 2`", starting, check(atMost("2"))},
		{"1 sick", "`sickbay.dev/max-in-flight: lots`", some, check(maxInFlight("lots"))},
	} {
		d := Decide(facts(c.mhc, c.targets...), now)
		condition := allowedCondition(d)
		shown = append(shown, condition.Reason)
		table = append(table, []string{
			c.observed, c.set, string(condition.Status), docs.Code(condition.Reason), condition.Message, strconv.Itoa(d.RemediationsAllowed()),
		})
	}
	for _, reason := range []string{
		ReasonRemediationAllowed, ReasonTooManyUnhealthy, ReasonTooFewUnhealthy, ReasonNoneSick, ReasonInvalidConfiguration, ReasonOnHold,
	} {
		if !slices.Contains(shown, reason) {
			t.Errorf("no row has the reason %s", reason)
		}
	}
	docs.Section(t, conceptsFile, "allowed", docs.Table(table...))
}

// TestConceptsPlans renders which built-in plan a MachineHealthCheck has.
func TestConceptsPlans(t *testing.T) {
	does := map[v1alpha1.Action]string{
		v1alpha1.ActionRequest: "makes a request of the template's kind, less the word Template, whose controller repairs the machine",
		v1alpha1.ActionReboot:  "power-cycles the host, by a RebootRemediation",
		v1alpha1.ActionReplace: "marks the Machine, `OwnerRemediated=False`, for its owner to replace; deletes it if nobody owns it",
	}
	table := [][]string{{"MachineHealthCheck", "step", "attempts", "time for each", "what it does"}}
	for _, c := range []struct {
		set string
		mhc *clusterv1.MachineHealthCheck
	}{
		{"`templateRef`, a RebootRemediationTemplate with its defaults", check(build.TemplateRef(v1alpha1.GroupVersion.WithKind("RebootRemediationTemplate"), "cycle"))},
		{"any other `templateRef`", check(byTemplate())},
		{"`templateRef` and `sickbay.dev/remediation: reboot`", check(byTemplate(), byReboot())},
		{"`sickbay.dev/remediation: reboot`", check(byReboot())},
		{"`machine.openshift.io/remediation-strategy: external-baremetal`", check(byExternal())},
		{"none of these", check()},
	} {
		set := c.set
		for _, step := range Decide(facts(c.mhc, sick("m")), now).Steps {
			row := []string{set, docs.Code(step.Name), strconv.Itoa(int(step.MaxAttempts())), step.Timeout().String(), does[step.Action]}
			if last := table[len(table)-1]; slices.Equal(last[1:], row[1:]) {
				last[0] += "; " + set
				continue
			}
			table, set = append(table, row), ""
		}
	}
	docs.Section(t, conceptsFile, "built-in plans", docs.Table(table...))
}

// TestConceptsAdmitted renders who is admitted, and why others wait.
func TestConceptsAdmitted(t *testing.T) {
	noTemplate := facts(check(byTemplate()), sick("a"))
	noTemplate.Template.Missing = "remediation template FixRemediationTemplate fix does not exist"
	failed := facts(check(), sick("a"))
	failed.Failures = map[types.UID]Failure{"uid-a": {Count: 1, RetryAt: now.Add(time.Minute)}}
	soon := onHold(now.Add(time.Hour))
	table := [][]string{{"observed", "admitted, in this order", "waiting"}}
	for _, c := range []struct {
		observed string
		facts    Facts
	}{
		{"a and b are sick, b for longer", facts(check(), sick("a"), longSick("b"))},
		{"the same with `sickbay.dev/max-in-flight: \"1\"`", facts(check(maxInFlight("1")), sick("a"), longSick("b"))},
		{"the same, and b has wasted a slot", facts(check(maxInFlight("1")), sick("a"), longSick("b")).with(recordOf("b", inVain(1)))},
		{"a is sick, c is being deleted, `max-in-flight: \"1\"`", facts(check(maxInFlight("1")), sick("a"), healthy("c", build.Deleting(now)))},
		{"a is sick, the remediation of b has a slot, `max-in-flight: \"1\"`", facts(check(maxInFlight("1")), sick("a"), sick("b")).with(recordOf("b"))},
		{"a and b are sick, `unhealthyLessThanOrEqualTo: 1`", facts(check(build.TriggerIfAtMost(intstr.FromInt32(1))), sick("a"), sick("b"))},
		{"the remediation of a has given its slot back and wants one again", facts(check(), sick("a")).with(recordOf("a", waitsFor(0)))},
		{"the remediation of a has ended, and a is sick again", facts(check(), sick("a")).with(recordOf("a", ended))},
		{"a, or its MachineHealthCheck, is on hold", facts(check(), sick("a", soon))},
		{"the template does not exist", noTemplate},
		{"the remediation of a could not be created a moment ago", failed},
		{"a plan with `pacing` by `Owner`; a and b have the same owner", planned(plan(pacedBy(v1alpha1.DomainOwner)), sick("a"), sick("b"))},
		{"a plan in the mode `Approve` with `maxInFlight: 1`", planned(plan(mode(v1alpha1.ModeApprove), func(p *v1alpha1.RemediationPlan) { p.MaxInFlight = new(intstr.FromInt32(1)) }), sick("a"), sick("b"))},
		{"a has a request without a record, `max-in-flight: \"1\"`", facts(check(maxInFlight("1")), stray(sick("a")), sick("b"))},
	} {
		d := Decide(c.facts, now)
		table = append(table, []string{c.observed, strings.Join(admittedNames(d), ", "), strings.Join(waiting(d), ", ")})
	}
	docs.Section(t, conceptsFile, "admitted", docs.Table(table...))
}

func admittedNames(d Decision) []string {
	var list []string
	for _, one := range d.Admit {
		list = append(list, one.Machine.Name)
	}
	return list
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
			"annotation `cluster.x-k8s.io/paused: upgrade`, or `sickbay`, with the annotation `machine.openshift.io/paused-for-upgrade`",
			check(build.Annotation(clusterv1.PausedAnnotation, mhcspec.HandedOverValue), build.Annotation(mhcspec.UpgradeMarker, "")),
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

// TestRebootTemplatePlan: a RebootRemediationTemplate says how often and for how long a host is cycled before the machine is replaced.
func TestRebootTemplatePlan(t *testing.T) {
	f := facts(check(build.TemplateRef(v1alpha1.GroupVersion.WithKind("RebootRemediationTemplate"), "cycle")), sick("m"))
	f.Template.Reboot = v1alpha1.RebootSettings{RetryLimit: new(int32(0)), NodeTimeoutSeconds: new(int32(60))}
	steps := Decide(f, now).Steps
	if len(steps) != 2 || steps[0].MaxAttempts() != 1 || steps[0].Timeout() != 28*time.Minute || steps[0].TemplateRef.Name != "cycle" || steps[1].Action != v1alpha1.ActionReplace {
		t.Errorf("steps are %+v", steps)
	}
	f.MachineHealthCheck = check(byTemplate())
	if steps := Decide(f, now).Steps; len(steps) != 1 || steps[0].Action != v1alpha1.ActionRequest {
		t.Errorf("of another kind, steps are %+v", steps)
	}
}

//go:generate go test -run ^TestReference . -update

const referenceFile = "../../../docs/reference.md"

func TestReferenceHealthCheckConditions(t *testing.T) {
	table := [][]string{{"condition", "meaning"}}
	for _, c := range docs.Constants(t, "conditions.go", "Condition", map[string]string{
		"ConditionRemediationAllowed": ConditionRemediationAllowed,
		"ConditionPaused":             ConditionPaused,
		"ConditionOverlapping":        ConditionOverlapping,
		"ConditionSignalsTrusted":     ConditionSignalsTrusted,
		"ConditionDryRun":             ConditionDryRun,
		"ConditionTemplateAvailable":  ConditionTemplateAvailable,
	}) {
		table = append(table, []string{docs.Code(c.Value), c.Meaning})
	}
	docs.Section(t, referenceFile, "health check conditions", docs.Table(table...))
}

func TestReferenceHealthCheckReasons(t *testing.T) {
	// The condition that a reason belongs to.
	of := map[string]string{
		ReasonRemediationAllowed: ConditionRemediationAllowed, ReasonTooManyUnhealthy: ConditionRemediationAllowed,
		ReasonTooFewUnhealthy: ConditionRemediationAllowed, ReasonNoneSick: ConditionRemediationAllowed,
		ReasonInvalidConfiguration: ConditionRemediationAllowed, ReasonKindsNotInstalled: ConditionRemediationAllowed,
		ReasonOnHold: ConditionRemediationAllowed, ReasonDeleting: ConditionRemediationAllowed, ReasonClusterNotFound: ConditionRemediationAllowed,
		ReasonPaused: ConditionPaused, ReasonNotPaused: ConditionPaused,
		ReasonSignalsTrusted: ConditionSignalsTrusted, ReasonSignalSuspected: ConditionSignalsTrusted,
		ReasonNotHandedOver: ConditionOverlapping, ReasonDryRun: ConditionDryRun, ReasonObserve: ConditionDryRun,
		ReasonTemplateAvailable: ConditionTemplateAvailable, ReasonTemplateNotFound: ConditionTemplateAvailable,
	}
	table := [][]string{{"condition", "reason", "meaning"}}
	for _, c := range docs.Constants(t, "conditions.go", "Reason", map[string]string{
		"ReasonRemediationAllowed":   ReasonRemediationAllowed,
		"ReasonTooManyUnhealthy":     ReasonTooManyUnhealthy,
		"ReasonTooFewUnhealthy":      ReasonTooFewUnhealthy,
		"ReasonNoneSick":             ReasonNoneSick,
		"ReasonInvalidConfiguration": ReasonInvalidConfiguration,
		"ReasonKindsNotInstalled":    ReasonKindsNotInstalled,
		"ReasonOnHold":               ReasonOnHold,
		"ReasonDeleting":             ReasonDeleting,
		"ReasonClusterNotFound":      ReasonClusterNotFound,
		"ReasonPaused":               ReasonPaused,
		"ReasonNotPaused":            ReasonNotPaused,
		"ReasonNotHandedOver":        ReasonNotHandedOver,
		"ReasonSignalsTrusted":       ReasonSignalsTrusted,
		"ReasonSignalSuspected":      ReasonSignalSuspected,
		"ReasonDryRun":               ReasonDryRun,
		"ReasonObserve":              ReasonObserve,
		"ReasonTemplateAvailable":    ReasonTemplateAvailable,
		"ReasonTemplateNotFound":     ReasonTemplateNotFound,
	}) {
		table = append(table, []string{docs.Code(of[c.Value]), docs.Code(c.Value), c.Meaning})
	}
	docs.Section(t, referenceFile, "health check reasons", docs.Table(table...))
}
