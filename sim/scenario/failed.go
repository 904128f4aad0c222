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
			Play:   remediation{strike: loseInfrastructure, reason: "MachineFailed"}.play,
		},
		{
			Name: "host-fails", Title: "a host has an error", Cluster: "steel", BareMetal: true, Workers: 1, SpareHosts: 1,
			Health: checks(clusterv1.MachineHealthCheckChecks{}), Annotations: map[string]string{hostErrorAnnotation: hostErrorTimeout.String()},
			Play: hostFails,
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
func hostFails(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	machine := &machines[0]
	broken := fault.LosePower{Host: s.hostOf(machine)}
	if err := s.breaks(ctx, broken); err != nil {
		return Outcome{}, err
	}
	failing, err := s.Journal.Machine(ctx, machine.UID, "the error of the host on machine "+machine.Name, func(m *clusterv1.Machine) bool {
		return meta.IsStatusConditionFalse(m.Status.Conditions, "HostHealthy")
	})
	if err != nil {
		return Outcome{}, err
	}
	said := meta.FindStatusCondition(failing.Object.(*clusterv1.Machine).Status.Conditions, "HostHealthy")
	s.say(Judged, failing.At, "machine %s: HostHealthy=False %s%s", machine.Name, said.Reason, quoted(said.Message))
	judged, err := s.judged(ctx, machine, metav1.ConditionFalse, "HostError", true)
	if err != nil {
		return Outcome{}, err
	}
	marked, err := s.markedFor(ctx, machine)
	if err != nil {
		return Outcome{}, err
	}
	if _, err := s.Journal.Machine(ctx, machine.UID, "the deletion of machine "+machine.Name, journal.Deleting); err != nil {
		return Outcome{}, err
	}
	if err := s.mends(ctx, broken, fmt.Sprintf("a technician mends host %s, for machines to come", broken.Host.Name)); err != nil {
		return Outcome{}, err
	}
	if err := s.trustHosts(ctx); err != nil {
		return Outcome{}, err
	}
	ready, err := s.replaced(ctx, machine, uids(machines))
	if err != nil {
		return Outcome{}, err
	}
	detected := judged.Sub(failing.At)
	outcome := Outcome{Detected: s.since(judged), Late: max(0, detected-hostErrorTimeout), Remediated: s.since(marked), Ready: s.since(ready)}
	_, err = s.ended(ctx, machine, v1alpha1.ReasonReplaced)
	return outcome, err
}

// trustHosts makes the MachineHealthCheck ignore host errors. The new machine may run on the repaired host, whose error still counts
// for three minutes, longer than the timeout here.
func (s *Stage) trustHosts(ctx context.Context) error {
	return s.annotateCheck(ctx, func(mhc *clusterv1.MachineHealthCheck) { delete(mhc.Annotations, hostErrorAnnotation) })
}
