package machinehealthcheck

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// These helpers make the facts of a decision in memory, for the tests of pure functions.

const ns = "ns"

// now is when pure tests decide; what they build is an hour old.
var now = build.Epoch.Add(time.Hour)

var (
	machineSet   = build.MachineSet(ns, "set")
	templateKind = env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind)
)

func ago(d time.Duration) time.Time { return now.Add(-d) }

// verdict is what machinehealth stored.
func verdict(status metav1.ConditionStatus, since time.Time) build.ConditionOption {
	reasons := map[metav1.ConditionStatus]string{
		metav1.ConditionTrue:    machinehealth.ReasonSucceeded,
		metav1.ConditionFalse:   machinehealth.ReasonNodeNotFound,
		metav1.ConditionUnknown: machinehealth.ReasonWaitingForNodeRef,
	}
	return build.Condition(machinehealth.ConditionType, status, reasons[status], since)
}

// healthy, sick and pending are Machines of a MachineSet with that verdict.
func healthy(name string, opts ...build.MachineOption) Target {
	return target(name, append([]build.MachineOption{build.OwnedBy(machineSet), verdict(metav1.ConditionTrue, build.Epoch)}, opts...)...)
}

func sick(name string, opts ...build.MachineOption) Target {
	return target(name, append([]build.MachineOption{build.OwnedBy(machineSet), verdict(metav1.ConditionFalse, ago(time.Minute))}, opts...)...)
}

func pending(name string, opts ...build.MachineOption) Target {
	return target(name, append([]build.MachineOption{build.OwnedBy(machineSet), verdict(metav1.ConditionUnknown, build.Epoch)}, opts...)...)
}

func target(name string, opts ...build.MachineOption) Target {
	return Target{Machine: build.Machine(ns, name, opts...)}
}

// marked is the mark for the owner.
func marked(status metav1.ConditionStatus) build.ConditionOption {
	return build.Condition(clusterv1.MachineOwnerRemediatedCondition, status, clusterv1.MachineOwnerRemediatedWaitingForRemediationReason, ago(time.Minute))
}

// orphan takes the owners away again.
func orphan() build.MachineFunc {
	return func(m *clusterv1.Machine) { m.OwnerReferences = nil }
}

// withRequest gives a Target a request that stands.
func withRequest(t Target) Target {
	t.Request = &metav1.PartialObjectMetadata{}
	t.Request.SetGroupVersionKind(env.RemediationGroupVersion.WithKind(env.RemediationKind))
	t.Request.Name = t.Machine.Name
	return t
}

// facts are those about a MachineHealthCheck with these Machines.
func facts(mhc *clusterv1.MachineHealthCheck, all ...Target) Facts {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b Target) int { return cmp.Compare(a.Machine.Name, b.Machine.Name) })
	return Facts{MachineHealthCheck: mhc, Cluster: build.Cluster(ns, build.ClusterName), Targets: all}
}

func check(opts ...build.MachineHealthCheckOption) *clusterv1.MachineHealthCheck {
	return build.MachineHealthCheck(ns, "mhc", opts...)
}

// remedies tells what a decision applies, in order, as "machine: kind".
func remedies(d Decision) []string {
	var list []string
	for _, due := range d.Remedies {
		list = append(list, due.Target.Machine.Name+": "+string(due.Kind))
	}
	return list
}

// waiting tells whom a decision lets wait, in order, as "machine: why".
func waiting(d Decision) []string {
	var list []string
	for _, one := range d.Waiting {
		list = append(list, one.Target.Machine.Name+": "+one.Why)
	}
	return list
}

func owners(names ...string) []string {
	var list []string
	for _, name := range names {
		list = append(list, name+": "+string(remedy.Owner))
	}
	return list
}
