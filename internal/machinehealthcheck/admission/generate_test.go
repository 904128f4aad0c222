package admission

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

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
		judgedAs(metav1.ConditionTrue, verdictSince), judgedAs(metav1.ConditionFalse, verdictSince), judgedAs(metav1.ConditionUnknown, verdictSince))...)
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
			one = left(one)
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
