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

func (r remediation) play(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	s.breaks(ctx, r.strike(s, &machines[0]))
	s.remediated(ctx, &machines[0], uids(machines), r.reason, r.timeout, "")
}

// remediated follows a machine from its verdict to its replacement, and stores the outcome.
func (s *Stage) remediated(ctx context.Context, machine *clusterv1.Machine, known []types.UID, reason string, timeout time.Duration, remark string) {
	judged := s.judged(ctx, machine, metav1.ConditionFalse, reason)
	marked := s.markedFor(ctx, machine)
	s.deleted(ctx, machine)
	// Under the built-in plan, the owner does the rest.
	s.ended(ctx, machine, v1alpha1.ReasonReplaced)
	ready := s.succeeded(ctx, machine, append(slices.Clone(known), machine.UID))
	s.measure(timeout, judged, marked, ready, remark)
}

// markedFor waits until a machine is marked for its owner and its record says so.
func (s *Stage) markedFor(ctx context.Context, machine *clusterv1.Machine) time.Time {
	marked := s.seen(ctx, machine, "the mark on", journal.Marked)
	recorded, record := s.replacing(ctx, machine)
	// A record is created before its first act, and its status is stored before each later one.
	later := recorded.After(marked.At)
	if later {
		s.sayMark(marked.At, machine)
	}
	s.sayRecord(recorded, record)
	if !later {
		s.sayMark(marked.At, machine)
	}
	return marked.At
}

// replacing waits until a record of a machine tries to have it replaced.
func (s *Stage) replacing(ctx context.Context, machine *clusterv1.Machine) (time.Time, *v1alpha1.MachineRemediation) {
	entry := mustGet(s.Journal.Record(ctx, machine.UID, "step "+replaceName+" of machine "+machine.Name, trying(replaceName)))
	return entry.At, entry.Object.(*v1alpha1.MachineRemediation)
}

// markedAndReplaced follows a machine from its mark to its replacement.
func (s *Stage) markedAndReplaced(ctx context.Context, machine *clusterv1.Machine, known []types.UID) (marked, ready time.Time) {
	marked = s.markedFor(ctx, machine)
	return marked, s.replaced(ctx, machine, known)
}

func uids(machines []clusterv1.Machine) []types.UID {
	var all []types.UID
	for i := range machines {
		all = append(all, machines[i].UID)
	}
	return all
}
