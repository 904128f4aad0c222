package scenario

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
)

// The annotations of a hold, as users know them.
const (
	holdUntil  = "sickbay.dev/hold-until"
	holdReason = "sickbay.dev/hold-reason"
)

// holdTime is how long the hold lasts.
const holdTime = 8 * time.Second

// onHold: somebody puts a MachineHealthCheck on hold until a time. Nobody removes the hold; it ends by itself.
func onHold(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	machine := &machines[0]
	until, err := s.hold(ctx)
	if err != nil {
		return Outcome{}, err
	}
	// The kubelet has been silent for longer than the timeout, so only the hold stops Sickbay.
	stopped := fault.StopKubelet{Cluster: s.Key(), Node: machine.Status.NodeRef.Name, Since: time.Now().Add(-2 * nodeTimeout)}
	if err := s.breaks(ctx, stopped); err != nil {
		return Outcome{}, err
	}
	judged, err := s.judged(ctx, machine, metav1.ConditionFalse, "ReadyUnhealthy", true)
	if err != nil {
		return Outcome{}, err
	}
	at, condition, err := s.healthCheck(ctx, clusterv1.MachineHealthCheckRemediationAllowedCondition, metav1.ConditionFalse, "OnHold")
	if err != nil {
		return Outcome{}, err
	}
	s.say(Refrains, at, "MachineHealthCheck %s: RemediationAllowed=False OnHold%s", s.Name, quoted(condition.Message))
	detected := s.since(judged)
	marked, ready, err := s.markedAndReplaced(ctx, machine, uids(machines))
	if err != nil {
		return Outcome{}, err
	}
	if marked.Before(until) {
		return Outcome{}, fmt.Errorf("machine %s was marked %s before the end of the hold", machine.Name, until.Sub(marked))
	}
	s.began = until
	return Outcome{
		Detected: detected, Remediated: s.since(marked), Ready: s.since(ready),
		Remark: "not touched until the hold ended by itself; then times from its end",
	}, nil
}

// hold puts the MachineHealthCheck on hold, and returns when the hold ends.
func (s *Stage) hold(ctx context.Context) (time.Time, error) {
	at := time.Now()
	until := at.Add(holdTime).Truncate(time.Second)
	end := until.UTC().Format(time.RFC3339)
	err := s.annotateCheck(ctx, func(mhc *clusterv1.MachineHealthCheck) {
		metav1.SetMetaDataAnnotation(&mhc.ObjectMeta, holdUntil, end)
		metav1.SetMetaDataAnnotation(&mhc.ObjectMeta, holdReason, "the storage is being moved")
	})
	if err != nil {
		return time.Time{}, err
	}
	s.say(Decides, at, "%s annotates MachineHealthCheck %s with %s: %s", person, s.Name, holdUntil, end)
	return until, nil
}

// annotateCheck changes the annotations of the MachineHealthCheck of the scenario.
func (s *Stage) annotateCheck(ctx context.Context, change func(*clusterv1.MachineHealthCheck)) error {
	mhc, c := &clusterv1.MachineHealthCheck{}, s.World.Client()
	if err := c.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: s.Name}, mhc); err != nil {
		return fmt.Errorf("getting MachineHealthCheck %s: %w", s.Name, err)
	}
	before := mhc.DeepCopy()
	change(mhc)
	if err := c.Patch(ctx, mhc, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("annotating MachineHealthCheck %s: %w", s.Name, err)
	}
	return nil
}
