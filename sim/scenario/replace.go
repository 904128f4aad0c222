package scenario

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// remediation is a story with the usual course: a fault strikes a machine, and Sickbay judges and marks it; then its
// owner replaces it.
type remediation struct {
	// strike returns the fault for a machine.
	strike func(s *Stage, machine *clusterv1.Machine) fault.Fault
	// reason is the reason of the verdict.
	reason string
	// timeout is how long the fault must last before it counts.
	timeout time.Duration
}

func (r remediation) play(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.breaks(ctx, r.strike(s, &machines[0])); err != nil {
		return Outcome{}, err
	}
	return s.remediated(ctx, &machines[0], uids(machines), r.reason, r.timeout)
}

// remediated follows a machine from its verdict to its replacement.
func (s *Stage) remediated(ctx context.Context, machine *clusterv1.Machine, known []types.UID, reason string, timeout time.Duration) (Outcome, error) {
	judged, err := s.judged(ctx, machine, metav1.ConditionFalse, reason, true)
	if err != nil {
		return Outcome{}, err
	}
	marked, err := s.markedFor(ctx, machine)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.deleted(ctx, machine); err != nil {
		return Outcome{}, err
	}
	// Under the built-in plan, the owner does the rest.
	if _, err := s.ended(ctx, machine, v1alpha1.ReasonReplaced); err != nil {
		return Outcome{}, err
	}
	ready, err := s.succeeded(ctx, machine, append(slices.Clone(known), machine.UID))
	if err != nil {
		return Outcome{}, err
	}
	detected := s.since(judged)
	return Outcome{Detected: detected, Late: max(0, detected-timeout), Remediated: s.since(marked), Ready: s.since(ready)}, nil
}

// markedFor waits until a machine is marked for its owner and its record says so.
func (s *Stage) markedFor(ctx context.Context, machine *clusterv1.Machine) (time.Time, error) {
	marked, err := s.Journal.Machine(ctx, machine.UID, "the mark on machine "+machine.Name, journal.Marked)
	if err != nil {
		return time.Time{}, err
	}
	record, err := s.Journal.Record(ctx, machine.UID, "step "+replaceName+" of machine "+machine.Name, trying(replaceName))
	if err != nil {
		return time.Time{}, err
	}
	// A record is created before its first act, and its status is stored before each later one.
	later := record.At.After(marked.At)
	if later {
		s.sayMark(marked.At, machine)
	}
	s.sayRecord(record.At, record.Object.(*v1alpha1.MachineRemediation))
	if !later {
		s.sayMark(marked.At, machine)
	}
	return marked.At, nil
}

// markedAndReplaced follows a machine from its mark to its replacement.
func (s *Stage) markedAndReplaced(ctx context.Context, machine *clusterv1.Machine, known []types.UID) (marked, ready time.Time, err error) {
	if marked, err = s.markedFor(ctx, machine); err != nil {
		return marked, ready, err
	}
	ready, err = s.replaced(ctx, machine, known)
	return marked, ready, err
}

func uids(machines []clusterv1.Machine) []types.UID {
	var all []types.UID
	for i := range machines {
		all = append(all, machines[i].UID)
	}
	return all
}
