package machinehealthcheck

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/targets"
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
		verdict(metav1.ConditionTrue, verdictSince), verdict(metav1.ConditionFalse, verdictSince), verdict(metav1.ConditionUnknown, verdictSince))...)
	options = append(options, sometimes[build.MachineOption](t, "mark",
		marked(metav1.ConditionTrue), marked(metav1.ConditionFalse), marked(metav1.ConditionUnknown))...)
	options = append(options, sometimes[build.MachineOption](t, "annotation",
		build.Annotation(clusterv1.PausedAnnotation, ""), build.Annotation(clusterv1.MachineSkipRemediationAnnotation, ""),
		build.Annotation(remedy.RebootAnnotation, ""), build.Annotation(remedy.RebootRequestedAtAnnotation, verdictSince.Format(time.RFC3339)),
		build.Annotation(remedy.RebootRequestedAtAnnotation, "garbage"), build.Label("kind", "other"))...)
	options = append(options, sometimes[build.MachineOption](t, "deleting", build.Deleting(now))...)
	return build.Machine(ns, name, options...)
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
	options = append(options, sometimes[build.MachineHealthCheckOption](t, "remedy", byReboot(), byTemplate())...)
	options = append(options, sometimes[build.MachineHealthCheckOption](t, "dry-run",
		build.Annotation(DryRunAnnotation, "true"), build.Annotation(DryRunAnnotation, "perhaps"))...)
	options = append(options, sometimes[build.MachineHealthCheckOption](t, "paused",
		build.Annotation(clusterv1.PausedAnnotation, ""), handedOver())...)
	options = append(options, sometimes[build.MachineHealthCheckOption](t, "selector", build.Selector(map[string]string{"kind": "other"}))...)
	return check(options...)
}

// drawFacts draws Machines, and finds those among them that are targets.
func drawFacts(t *rapid.T) Facts {
	mhc := drawCheck(t)
	var machines []clusterv1.Machine
	requests := map[string]*metav1.PartialObjectMetadata{}
	for i := range rapid.IntRange(0, 8).Draw(t, "machines") {
		machine := drawMachine(t, fmt.Sprintf("m%d", i))
		machines = append(machines, *machine)
		if rapid.Bool().Draw(t, "request") {
			requests[machine.Name] = &metav1.PartialObjectMetadata{}
			requests[machine.Name].OwnerReferences = []metav1.OwnerReference{{UID: machine.UID}}
		}
	}
	f := facts(mhc)
	f.Template.Missing = rapid.SampledFrom([]string{"", "it does not exist"}).Draw(t, "template")
	f.addTargets(&targets.Selectors{}, machines, []*clusterv1.MachineHealthCheck{mhc}, requests)
	for i := range f.Targets {
		if rapid.IntRange(0, 5).Draw(t, "acted") == 0 {
			f.Targets[i].ActedUntil = now.Add(time.Second)
		}
	}
	return f
}
