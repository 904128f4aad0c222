package admission

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// These helpers make the facts of a decision in memory.

const ns = "ns"

// now is when tests decide; what they build is an hour old.
var now = build.Epoch.Add(time.Hour)

var (
	machineSet   = build.MachineSet(ns, "set")
	templateKind = env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind)
)

func ago(d time.Duration) time.Time { return now.Add(-d) }

// healthy, sick and pending are Machines of a MachineSet with that verdict.
func healthy(name string, opts ...build.MachineOption) Target {
	return target(name, append([]build.MachineOption{build.OwnedBy(machineSet), build.Verdict(metav1.ConditionTrue, build.Epoch)}, opts...)...)
}

func sick(name string, opts ...build.MachineOption) Target {
	return target(name, append([]build.MachineOption{build.OwnedBy(machineSet), build.Verdict(metav1.ConditionFalse, ago(time.Minute))}, opts...)...)
}

// longSick is one that came first.
func longSick(name string) Target {
	return sick(name, build.Verdict(metav1.ConditionFalse, ago(time.Hour)))
}

func pending(name string, opts ...build.MachineOption) Target {
	return target(name, append([]build.MachineOption{build.OwnedBy(machineSet), build.Verdict(metav1.ConditionUnknown, build.Epoch)}, opts...)...)
}

func target(name string, opts ...build.MachineOption) Target {
	return Target{Machine: build.Machine(ns, name, append([]build.MachineOption{build.UID(types.UID("uid-" + name))}, opts...)...)}
}

// seen gives a Target a verdict of a look just now.
func seen(t Target, present metav1.ConditionStatus) Target {
	t.Present = present
	return t
}

// stray gives a Target a request without a record.
func stray(t Target) Target {
	t.Stray = "FixRemediation"
	return t
}

// recordOption changes a record.
type recordOption func(*v1alpha1.MachineRemediation)

// recordOf is an open record of a machine, with a slot, whose attempt has not been stored yet.
func recordOf(machine string, opts ...recordOption) *v1alpha1.MachineRemediation {
	r := &v1alpha1.MachineRemediation{}
	r.Namespace, r.Name, r.UID = ns, machine+"-1", types.UID("record-"+machine)
	r.Spec.ClusterName = build.ClusterName
	r.Spec.MachineRef = v1alpha1.RemediatedMachineReference{Name: machine, UID: types.UID("uid-" + machine)}
	r.CreationTimestamp, r.Spec.Finding.Since = metav1.NewTime(ago(time.Minute)), metav1.NewTime(ago(time.Minute))
	r.Spec.Steps = BuiltInPlan(check(), mhcspec.Config{}, v1alpha1.RebootSettings{})
	r.Spec.Grant = 1
	for _, opt := range opts {
		opt(r)
	}
	return r
}

// waitsFor has given its slot back, and wants one again after a pause.
func waitsFor(after time.Duration) recordOption {
	return func(r *v1alpha1.MachineRemediation) {
		r.Status.Attempt, r.Status.Step, r.Status.ReleasedGrant = 1, StepReplace, r.Spec.Grant
		r.Status.SlotWanted = true
		at := metav1.NewTime(now.Add(after))
		r.Status.NextTransitionTime = &at
	}
}

// inVain has had and given back so many slots.
func inVain(n int32) recordOption {
	return func(r *v1alpha1.MachineRemediation) {
		r.Spec.Grant = n
		waitsFor(0)(r)
	}
}

// tried has made an attempt, which is over.
func tried(r *v1alpha1.MachineRemediation) {
	end := metav1.NewTime(ago(time.Second))
	r.Status.Attempts = []v1alpha1.RemediationAttempt{{Number: 1, Step: StepReplace, BeganAt: &end, EndTime: &end, Result: v1alpha1.ResultFailed, ObjectRef: &v1alpha1.RemediationObjectReference{}}}
	waitsFor(0)(r)
	r.Status.Attempt = 2
}

func ended(r *v1alpha1.MachineRemediation) {
	at := metav1.NewTime(ago(time.Second))
	r.Status.CompletionTime = &at
}

// facts are those about a MachineHealthCheck with these Machines.
func facts(mhc *clusterv1.MachineHealthCheck, all ...Target) Facts {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b Target) int { return cmp.Compare(a.Machine.Name, b.Machine.Name) })
	return Facts{MachineHealthCheck: mhc, Cluster: build.Cluster(ns, build.ClusterName), Targets: all}
}

// with adds records.
func (f Facts) with(records ...*v1alpha1.MachineRemediation) Facts {
	f.Records = append(slices.Clone(f.Records), records...)
	return f
}

func check(opts ...build.MachineHealthCheckOption) *clusterv1.MachineHealthCheck {
	return build.MachineHealthCheck(ns, "mhc", opts...)
}

func opts(list ...build.MachineHealthCheckOption) []build.MachineHealthCheckOption { return list }

func maxInFlight(value string) build.Option {
	return build.Annotation(mhcspec.MaxInFlightAnnotation, value)
}

func byReboot() build.Option {
	return build.Annotation(mhcspec.StrategyAnnotation, string(mhcspec.StrategyReboot))
}

func byExternal() build.Option {
	return build.Annotation(mhcspec.ExternalStrategyAnnotation, "external-baremetal")
}

func byTemplate() build.MachineHealthCheckFunc { return build.TemplateRef(templateKind, "fix") }

func handedOver() build.Option {
	return build.Annotation(clusterv1.PausedAnnotation, mhcspec.HandedOverValue)
}

// onHold holds something back until a time.
func onHold(until time.Time) build.Option {
	return build.Annotation(mhcspec.HoldUntilAnnotation, until.Format(time.RFC3339))
}

// admitted says whom a decision admits, in order, as "machine: step" with the grant of a record that is there.
func admitted(d Decision) []string {
	var list []string
	for _, one := range d.Admit {
		list = append(list, one.Machine.Name+": "+described(d, one))
	}
	return list
}

func described(d Decision, one Admission) string {
	switch {
	case one.Record != nil:
		return "grant"
	case one.Stray != "":
		return "taken over"
	}
	return d.StepOf(one)
}

// waiting says whom a decision lets wait, in order, as "machine: reason".
func waiting(d Decision) []string {
	var list []string
	for _, one := range d.Waiting {
		list = append(list, one.Machine+": "+one.Reason)
	}
	return list
}

// replaced says that these are admitted to be replaced.
func replaced(names ...string) []string {
	var list []string
	for _, name := range names {
		list = append(list, name+": "+StepReplace)
	}
	return list
}

// These generators draw facts for the property tests, the odd ones among them.

func sometimes[T any](t *rapid.T, label string, options ...T) []T {
	if !rapid.Bool().Draw(t, label) {
		return nil
	}
	return []T{rapid.SampledFrom(options).Draw(t, label)}
}

func drawMachine(t *rapid.T, name string) *clusterv1.Machine {
	verdictSince := ago(time.Duration(rapid.IntRange(0, 3).Draw(t, "sick for")) * time.Minute)
	var options []build.MachineOption
	options = append(options, sometimes[build.MachineOption](t, "owner", build.OwnedBy(machineSet))...)
	options = append(options, sometimes[build.MachineOption](t, "verdict",
		build.Verdict(metav1.ConditionTrue, verdictSince), build.Verdict(metav1.ConditionFalse, verdictSince), build.Verdict(metav1.ConditionUnknown, verdictSince))...)
	options = append(options, sometimes[build.MachineOption](t, "annotation",
		onHold(now.Add(time.Minute)), onHold(ago(time.Minute)), build.Annotation(mhcspec.HoldUntilAnnotation, "garbage"))...)
	options = append(options, sometimes[build.MachineOption](t, "deleting", build.Deleting(now))...)
	return build.Machine(ns, name, append(options, build.UID(types.UID("uid-"+name)))...)
}

func drawTrigger(t *rapid.T) []build.MachineHealthCheckOption {
	number := rapid.Int32Range(-2, 8).Draw(t, "number")
	high := rapid.IntRange(0, 8).Draw(t, "high")
	return sometimes[build.MachineHealthCheckOption](t, "trigger",
		build.TriggerIfAtMost(intstr.FromInt32(number)),
		build.TriggerIfAtMost(intstr.FromString(fmt.Sprintf("%d%%", number*20))),
		build.TriggerIfAtMost(intstr.FromString("nonsense")),
		build.TriggerIfInRange(fmt.Sprintf("[%d-%d]", max(0, number), high)))
}

func drawCheck(t *rapid.T) *clusterv1.MachineHealthCheck {
	options := drawTrigger(t)
	options = append(options, sometimes[build.MachineHealthCheckOption](t, "budget",
		maxInFlight("1"), maxInFlight("3"), maxInFlight("30%"), maxInFlight("0"), maxInFlight("x"))...)
	options = append(options, sometimes[build.MachineHealthCheckOption](t, "strategy", byReboot(), byTemplate(), byPlan(), byPlan())...)
	options = append(options, sometimes[build.MachineHealthCheckOption](t, "dry-run",
		build.Annotation(mhcspec.DryRunAnnotation, "true"), build.Annotation(mhcspec.DryRunAnnotation, "perhaps"))...)
	options = append(options, sometimes[build.MachineHealthCheckOption](t, "paused",
		build.Annotation(clusterv1.PausedAnnotation, ""), handedOver())...)
	options = append(options, sometimes[build.MachineHealthCheckOption](t, "hold", onHold(now.Add(time.Minute)))...)
	return check(options...)
}

// drawRecord draws a record of a machine.
func drawRecord(t *rapid.T, machine string, p *v1alpha1.MachineRemediationTemplate) *v1alpha1.MachineRemediation {
	kinds := []recordOption{
		func(*v1alpha1.MachineRemediation) {}, waitsFor(0), waitsFor(time.Minute), inVain(1), inVain(5), tried, ended,
	}
	if p != nil {
		kinds = append(kinds, ofPlan(p, v1alpha1.ReasonRecovered, "reboot"), ofPlan(p, v1alpha1.ReasonUnproven, "reboot", "replace"))
	}
	return recordOf(machine, rapid.SampledFrom(kinds).Draw(t, "record of "+machine))
}

// drawPlan draws a plan.
func drawPlan(t *rapid.T) *v1alpha1.MachineRemediationTemplate {
	options := sometimes(t, "steps", steps(replace, hold), steps(approved(reboot), replace), steps(hold))
	options = append(options, sometimes(t, "mode", mode(v1alpha1.ModeObserve), mode(v1alpha1.ModeApprove))...)
	options = append(options, sometimes(t, "pacing", pacedBy(v1alpha1.DomainOwner), pacedBy(v1alpha1.DomainOwner, v1alpha1.DomainFailureDomain))...)
	options = append(options, sometimes(t, "slots", planOption(func(p *v1alpha1.RemediationPlan) { p.MaxInFlight = new(intstr.FromInt32(2)) }))...)
	return plan(options...)
}

// drawFacts draws Machines and their records; some of the machines are gone.
func drawFacts(t *rapid.T) Facts {
	var all []Target
	for i := range rapid.IntRange(0, 8).Draw(t, "machines") {
		one := Target{Machine: drawMachine(t, fmt.Sprintf("m%d", i))}
		one.Present = rapid.SampledFrom([]metav1.ConditionStatus{"", "", metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown}).Draw(t, "seen")
		if rapid.IntRange(0, 5).Draw(t, "left") == 0 {
			one = stray(one)
		}
		all = append(all, one)
	}
	f := facts(drawCheck(t), all...)
	f.Template.Missing = rapid.SampledFrom([]string{"", "", "it does not exist"}).Draw(t, "template")
	f.KindsMissing = rapid.IntRange(0, 9).Draw(t, "kinds") == 0
	f.Unseen = rapid.IntRange(0, 9).Draw(t, "cache") == 0
	if mhcspec.NamesPlan(f.MachineHealthCheck) && f.Template.Missing == "" {
		f.Template.Plan = drawPlan(t)
	}
	f.Failures = map[types.UID]Failure{}
	for i := range 10 {
		name := fmt.Sprintf("m%d", i)
		if rapid.IntRange(0, 2).Draw(t, "recorded") == 0 {
			f = f.remembers(drawRecord(t, name, f.Template.Plan))
		}
		if rapid.IntRange(0, 5).Draw(t, "failed") == 0 {
			f.Failures[types.UID("uid-"+name)] = Failure{Count: 1, RetryAt: now.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "retry")) * time.Minute)}
		}
	}
	return f
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
