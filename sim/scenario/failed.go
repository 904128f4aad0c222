package scenario

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

const (
	// hostErrorTimeout is how long a host may have an error in the scenarios.
	hostErrorTimeout    = 3 * time.Second
	hostErrorAnnotation = "sickbay.dev/host-error-timeout"
)

// failing returns the scenarios in which a machine or its host is reported as failed.
func failing() []Scenario {
	return []Scenario{
		{
			Name: "machine-fails", Title: "what a machine runs on is deleted", Cluster: "steel", BareMetal: true, Workers: 1, SpareHosts: 1,
			Health: checks(clusterv1.MachineHealthCheckChecks{}),
			story:  remediation{strike: loseInfrastructure, reason: "MachineFailed"}.play,
		},
		{
			Name: "host-fails", Title: "a host has an error", Cluster: "steel", BareMetal: true, Workers: 1, SpareHosts: 1,
			Health: checks(clusterv1.MachineHealthCheckChecks{}), Annotations: map[string]string{hostErrorAnnotation: hostErrorTimeout.String()},
			story: hostFails,
		},
	}
}

// loseInfrastructure deletes a Machine's infrastructure, so that Cluster API reports that the Machine has failed.
func loseInfrastructure(_ *Stage, machine *clusterv1.Machine) fault.Fault {
	ref := machine.Spec.InfrastructureRef
	return fault.DeleteInfrastructure{
		Machine: client.ObjectKey{Namespace: machine.Namespace, Name: ref.Name},
		Kind:    schema.GroupVersionKind{Group: ref.APIGroup, Version: "v1beta1", Kind: ref.Kind},
	}
}

// hostFails: a host loses its power and cannot be switched on. The check does not look at the Node, only at the host's own error. A
// machine on another host replaces the machine.
func hostFails(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	machine := &machines[0]
	broken := fault.LosePower{Host: s.hostOf(machine)}
	s.breaks(ctx, broken)
	failing := s.seen(ctx, machine, "the error of the host on", func(m *clusterv1.Machine) bool {
		return meta.IsStatusConditionFalse(m.Status.Conditions, "HostHealthy")
	})
	said := meta.FindStatusCondition(failing.Object.(*clusterv1.Machine).Status.Conditions, "HostHealthy")
	s.say(Judged, failing.At, "machine %s: HostHealthy=False %s%s", machine.Name, said.Reason, quoted(said.Message))
	judged := s.judged(ctx, machine, metav1.ConditionFalse, "HostError")
	marked := s.markedFor(ctx, machine)
	s.seen(ctx, machine, "the deletion of", journal.Deleting)
	s.mends(ctx, broken, fmt.Sprintf("a technician mends host %s, for machines to come", broken.Host.Name))
	s.trustHosts(ctx)
	ready := s.replaced(ctx, machine, uids(machines))
	detected := judged.Sub(failing.At)
	s.outcome = Outcome{Detected: s.since(judged), Late: max(0, detected-hostErrorTimeout), Remediated: s.since(marked), Ready: s.since(ready)}
	s.ended(ctx, machine, v1alpha1.ReasonReplaced)
}

// trustHosts makes the MachineHealthCheck ignore host errors. The new machine may run on the repaired host, whose error still counts
// for three minutes, longer than the timeout here.
func (s *Stage) trustHosts(ctx context.Context) {
	s.annotateCheck(ctx, func(mhc *clusterv1.MachineHealthCheck) { delete(mhc.Annotations, hostErrorAnnotation) })
}
