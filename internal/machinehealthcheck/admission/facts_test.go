package admission

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
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

// judgedAs is what machinehealth stored.
func judgedAs(status metav1.ConditionStatus, since time.Time) build.ConditionOption {
	reasons := map[metav1.ConditionStatus]string{
		metav1.ConditionTrue:    verdict.ReasonSucceeded,
		metav1.ConditionFalse:   verdict.ReasonNodeNotFound,
		metav1.ConditionUnknown: verdict.ReasonWaitingForNodeRef,
	}
	return build.Condition(verdict.ConditionType, status, reasons[status], since)
}

// healthy, sick and pending are Machines of a MachineSet with that verdict.
func healthy(name string, opts ...build.MachineOption) Target {
	return target(name, append([]build.MachineOption{build.OwnedBy(machineSet), judgedAs(metav1.ConditionTrue, build.Epoch)}, opts...)...)
}

func sick(name string, opts ...build.MachineOption) Target {
	return target(name, append([]build.MachineOption{build.OwnedBy(machineSet), judgedAs(metav1.ConditionFalse, ago(time.Minute))}, opts...)...)
}

// longSick is one that came first.
func longSick(name string) Target { return sick(name, judgedAs(metav1.ConditionFalse, ago(time.Hour))) }

func pending(name string, opts ...build.MachineOption) Target {
	return target(name, append([]build.MachineOption{build.OwnedBy(machineSet), judgedAs(metav1.ConditionUnknown, build.Epoch)}, opts...)...)
}

func target(name string, opts ...build.MachineOption) Target {
	return Target{Machine: build.Machine(ns, name, append([]build.MachineOption{build.UID(types.UID("uid-" + name))}, opts...)...)}
}

// seen gives a Target a verdict of a look just now.
func seen(t Target, present metav1.ConditionStatus) Target {
	t.Present = present
	return t
}

// left gives a Target something that an earlier version has left.
func left(t Target) Target {
	t.LeftOver = "a mark for its owner"
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
	r.Spec.Finding.Since = metav1.NewTime(ago(time.Minute))
	r.Spec.Steps = BuiltInPlan(check(), mhcspec.Config{})
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
	r.Status.Attempts = []v1alpha1.RemediationAttempt{{Number: 1, Step: StepReplace, EndTime: &end, Result: v1alpha1.ResultFailed, ObjectRef: &v1alpha1.RemediationObjectReference{}}}
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
	case one.LeftOver != "":
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
