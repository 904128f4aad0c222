package scenario

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// breaks injects a fault and starts the clock.
func (s *Stage) breaks(ctx context.Context, f fault.Fault) {
	s.began = time.Now()
	mustDo(f.Inject(ctx, s.World), "injecting %q", f)
	s.say(Broke, s.began, "%s", f)
}

// mends heals a fault.
func (s *Stage) mends(ctx context.Context, f fault.Fault, text string) {
	mustDo(f.Heal(ctx, s.World), "healing %q", f)
	s.say(Mended, time.Now(), "%s", text)
}

// machines returns the machines of the pool once all of them are healthy.
func (s *Stage) machines(ctx context.Context) []clusterv1.Machine {
	var machines []clusterv1.Machine
	must(world.Poll(ctx, func(ctx context.Context) (err error) {
		machines, err = s.World.PoolMachines(ctx, s.Key(), s.Name)
		if err == nil && len(machines) != s.Workers {
			err = fmt.Errorf("pool %s has %d machines instead of %d", s.Name, len(machines), s.Workers)
		}
		return err
	}))
	for i := range machines {
		s.verdict(ctx, &machines[i], metav1.ConditionTrue, "Succeeded")
	}
	return machines
}

// onlyMachine returns the machine of another pool, which has no more.
func (s *Stage) onlyMachine(ctx context.Context, pool string) *clusterv1.Machine {
	machines := mustGet(s.World.PoolMachines(ctx, s.Key(), pool))
	if len(machines) != 1 {
		failf("pool %s has %d machines instead of one", pool, len(machines))
	}
	return &machines[0]
}

// verdict waits for a verdict on a machine, later than the last one that it waited for.
func (s *Stage) verdict(ctx context.Context, machine *clusterv1.Machine, status metav1.ConditionStatus, reason string) journal.Entry {
	what := fmt.Sprintf("the verdict %s, %s on machine %s", status, reason, machine.Name)
	entry := mustGet(s.Journal.Await(ctx, what, func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && m.UID == machine.UID && e.At.After(s.verdicts[m.UID].At) && journal.HasVerdict(status, reason)(m)
	}))
	if s.verdicts == nil {
		s.verdicts = map[types.UID]journal.Entry{}
	}
	s.verdicts[machine.UID] = entry
	return entry
}

// judged waits for a verdict, and tells it.
func (s *Stage) judged(ctx context.Context, machine *clusterv1.Machine, status metav1.ConditionStatus, reason string) time.Time {
	entry := s.verdict(ctx, machine, status, reason)
	verdict := journal.Verdict(entry.Object.(*clusterv1.Machine))
	s.say(Judged, entry.At, "machine %s: HealthCheckSucceeded=%s %s%s", machine.Name, verdict.Status, verdict.Reason, quoted(verdict.Message))
	return entry.At
}

// sickens breaks something that makes the Node of a machine unhealthy, and waits for the verdict.
func (s *Stage) sickens(ctx context.Context, machine *clusterv1.Machine, f fault.Fault) time.Time {
	s.breaks(ctx, f)
	return s.judged(ctx, machine, metav1.ConditionFalse, "ReadyUnhealthy")
}

// seen waits for a state of a machine. If it does not come, the error is about what, followed by the name of the machine.
func (s *Stage) seen(ctx context.Context, machine *clusterv1.Machine, what string, matches func(*clusterv1.Machine) bool) journal.Entry {
	return mustGet(s.Journal.Machine(ctx, machine.UID, what+" machine "+machine.Name, matches))
}

func (s *Stage) sayMark(at time.Time, machine *clusterv1.Machine) {
	owner := metav1.GetControllerOf(machine)
	s.say(Acted, at, "machine %s: marked for remediation by %s %s", machine.Name, owner.Kind, owner.Name)
}

// replaced waits until the owner of a machine has deleted it and another one is healthy in its place.
func (s *Stage) replaced(ctx context.Context, old *clusterv1.Machine, others []types.UID) time.Time {
	s.deleted(ctx, old)
	return s.succeeded(ctx, old, append(slices.Clone(others), old.UID))
}

// deleted waits until the owner of a machine has deleted it.
func (s *Stage) deleted(ctx context.Context, old *clusterv1.Machine) {
	entry := s.seen(ctx, old, "the deletion of", journal.Deleting)
	s.say(Owner, entry.At, "%s deletes machine %s", metav1.GetControllerOf(old).Kind, old.Name)
}

// newMachine waits for another machine with the same owner.
func (s *Stage) newMachine(ctx context.Context, what string, old *clusterv1.Machine, known []types.UID) *clusterv1.Machine {
	entry := mustGet(s.Journal.Await(ctx, what, func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && sameOwner(m, old) && !slices.Contains(known, m.UID)
	}))
	return entry.Object.(*clusterv1.Machine)
}

// succeeded waits until a new machine is healthy in the place of an old one.
func (s *Stage) succeeded(ctx context.Context, old *clusterv1.Machine, known []types.UID) time.Time {
	entry := mustGet(s.Journal.Await(ctx, "a healthy machine in place of "+old.Name, func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && !e.Gone && sameOwner(m, old) && !slices.Contains(known, m.UID) && m.Status.NodeRef.IsDefined() &&
			meta.IsStatusConditionTrue(m.Status.Conditions, clusterv1.MachineNodeReadyCondition) && journal.HasVerdict(metav1.ConditionTrue, "")(m)
	}))
	s.say(Healthy, entry.At, "machine %s in its place: Node Ready, HealthCheckSucceeded=True", entry.Object.GetName())
	return entry.At
}

func sameOwner(a, b *clusterv1.Machine) bool {
	x, y := metav1.GetControllerOf(a), metav1.GetControllerOf(b)
	return x != nil && y != nil && x.UID == y.UID
}

// untouched checks that nothing was done to machines.
func (s *Stage) untouched(machines ...*clusterv1.Machine) {
	for _, machine := range machines {
		entry, found := s.Journal.Find(func(e journal.Entry) bool {
			m, ok := e.Object.(*clusterv1.Machine)
			return ok && m.UID == machine.UID && (e.Gone || journal.Deleting(m) || journal.Marked(m))
		})
		if found {
			failf("machine %s was touched %s after something broke", machine.Name, s.since(entry.At).Round(time.Millisecond))
		}
	}
}

// leftAlone checks that nothing was done, or planned, for machines.
func (s *Stage) leftAlone(machines ...*clusterv1.Machine) {
	for _, machine := range machines {
		if records := s.Journal.Records(machine.UID); len(records) > 0 {
			failf("machine %s has a MachineRemediation %s", machine.Name, records[0].Name)
		}
	}
	s.untouched(machines...)
}

// healthCheck waits for a condition of the MachineHealthCheck, and tells it with its message.
func (s *Stage) healthCheck(ctx context.Context, conditionType string, status metav1.ConditionStatus, reason, text string) {
	var condition *metav1.Condition
	what := fmt.Sprintf("the condition %s=%s %s on the MachineHealthCheck", conditionType, status, reason)
	entry := s.ownHealthCheck(ctx, what, func(mhc *clusterv1.MachineHealthCheck) bool {
		condition = meta.FindStatusCondition(mhc.Status.Conditions, conditionType)
		return condition != nil && condition.Status == status && condition.Reason == reason
	})
	s.say(Refrains, entry.At, "MachineHealthCheck %s: %s%s", s.Name, text, quoted(condition.Message))
}

// ownHealthCheck waits for a state of the MachineHealthCheck.
func (s *Stage) ownHealthCheck(ctx context.Context, what string, matches func(*clusterv1.MachineHealthCheck) bool) journal.Entry {
	return mustGet(s.Journal.MachineHealthCheck(ctx, client.ObjectKey{Namespace: s.Namespace, Name: s.Name}, what, matches))
}

// quoted returns a space and the quoted message, or nothing if it is empty.
func quoted(message string) string {
	if message == "" {
		return ""
	}
	return fmt.Sprintf(" %q", message)
}
