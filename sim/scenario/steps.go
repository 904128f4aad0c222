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
func (s *Stage) breaks(ctx context.Context, f fault.Fault) error {
	s.began = time.Now()
	if err := f.Inject(ctx, s.World); err != nil {
		return fmt.Errorf("bringing about %q: %w", f, err)
	}
	s.say(Broke, s.began, "%s", f)
	return nil
}

// mends heals a fault.
func (s *Stage) mends(ctx context.Context, f fault.Fault, text string) error {
	if err := f.Heal(ctx, s.World); err != nil {
		return fmt.Errorf("taking back %q: %w", f, err)
	}
	s.say(Mended, time.Now(), "%s", text)
	return nil
}

// machines returns the machines of the pool once all of them are healthy.
func (s *Stage) machines(ctx context.Context) ([]clusterv1.Machine, error) {
	var machines []clusterv1.Machine
	err := world.Poll(ctx, func(ctx context.Context) (err error) {
		machines, err = s.World.PoolMachines(ctx, s.Key(), s.Name)
		if err == nil && len(machines) != s.Workers {
			err = fmt.Errorf("pool %s has %d machines instead of %d", s.Name, len(machines), s.Workers)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range machines {
		if _, err := s.judged(ctx, &machines[i], metav1.ConditionTrue, "Succeeded", false); err != nil {
			return nil, err
		}
	}
	return machines, nil
}

// judged waits for a verdict on a machine, later than the last one that it waited for, and tells it if tell is
// set.
func (s *Stage) judged(ctx context.Context, machine *clusterv1.Machine, status metav1.ConditionStatus, reason string, tell bool) (time.Time, error) {
	what := fmt.Sprintf("the verdict %s, %s on machine %s", status, reason, machine.Name)
	entry, err := s.Journal.Await(ctx, what, func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && m.UID == machine.UID && e.At.After(s.verdicts[m.UID].At) && journal.HasVerdict(status, reason)(m)
	})
	if err != nil {
		return time.Time{}, err
	}
	if s.verdicts == nil {
		s.verdicts = map[types.UID]journal.Entry{}
	}
	s.verdicts[machine.UID] = entry
	if verdict := journal.Verdict(entry.Object.(*clusterv1.Machine)); tell {
		s.say(Judged, entry.At, "machine %s: HealthCheckSucceeded=%s %s%s", machine.Name, verdict.Status, verdict.Reason, quoted(verdict.Message))
	}
	return entry.At, nil
}

// sickens stops the kubelet of a machine, and waits for the verdict.
func (s *Stage) sickens(ctx context.Context, machine *clusterv1.Machine) (time.Time, error) {
	if err := s.breaks(ctx, stopKubelet(s, machine)); err != nil {
		return time.Time{}, err
	}
	return s.judged(ctx, machine, metav1.ConditionFalse, "ReadyUnhealthy", true)
}

// marked waits until a machine is marked for its owner.
func (s *Stage) marked(ctx context.Context, machine *clusterv1.Machine) (time.Time, error) {
	entry, err := s.Journal.Machine(ctx, machine.UID, "the mark on machine "+machine.Name, journal.Marked)
	if err == nil {
		s.sayMark(entry.At, machine)
	}
	return entry.At, err
}

func (s *Stage) sayMark(at time.Time, machine *clusterv1.Machine) {
	owner := metav1.GetControllerOf(machine)
	s.say(Acted, at, "machine %s: marked for remediation by %s %s", machine.Name, owner.Kind, owner.Name)
}

// replaced waits until the owner of a machine has deleted it and another one is healthy in its place.
func (s *Stage) replaced(ctx context.Context, old *clusterv1.Machine, others []types.UID) (time.Time, error) {
	if err := s.deleted(ctx, old); err != nil {
		return time.Time{}, err
	}
	return s.succeeded(ctx, old, append(slices.Clone(others), old.UID))
}

// deleted waits until the owner of a machine has deleted it.
func (s *Stage) deleted(ctx context.Context, old *clusterv1.Machine) error {
	entry, err := s.Journal.Machine(ctx, old.UID, "the deletion of machine "+old.Name, journal.Deleting)
	if err == nil {
		s.say(Owner, entry.At, "%s deletes machine %s", metav1.GetControllerOf(old).Kind, old.Name)
	}
	return err
}

// succeeded waits until a new machine is healthy in the place of an old one.
func (s *Stage) succeeded(ctx context.Context, old *clusterv1.Machine, known []types.UID) (time.Time, error) {
	entry, err := s.Journal.Await(ctx, "a healthy machine in place of "+old.Name, func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && !e.Gone && sameOwner(m, old) && !slices.Contains(known, m.UID) && m.Status.NodeRef.IsDefined() &&
			meta.IsStatusConditionTrue(m.Status.Conditions, clusterv1.MachineNodeReadyCondition) && journal.HasVerdict(metav1.ConditionTrue, "")(m)
	})
	if err != nil {
		return time.Time{}, err
	}
	s.say(Healthy, entry.At, "machine %s in its place: Node Ready, HealthCheckSucceeded=True", entry.Object.GetName())
	return entry.At, nil
}

func sameOwner(a, b *clusterv1.Machine) bool {
	x, y := metav1.GetControllerOf(a), metav1.GetControllerOf(b)
	return x != nil && y != nil && x.UID == y.UID
}

// untouched returns an error if anything was done to a machine.
func (s *Stage) untouched(machines ...*clusterv1.Machine) error {
	for _, machine := range machines {
		entry, found := s.Journal.Find(func(e journal.Entry) bool {
			m, ok := e.Object.(*clusterv1.Machine)
			return ok && m.UID == machine.UID && (e.Gone || journal.Deleting(m) || journal.Marked(m))
		})
		if found {
			return fmt.Errorf("machine %s was touched %s after something broke", machine.Name, s.since(entry.At).Round(time.Millisecond))
		}
	}
	return nil
}

// leftAlone returns an error if anything was done, or planned, for a machine.
func (s *Stage) leftAlone(machines ...*clusterv1.Machine) error {
	for _, machine := range machines {
		if records := s.Journal.Records(machine.UID); len(records) > 0 {
			return fmt.Errorf("machine %s has a MachineRemediation %s", machine.Name, records[0].Name)
		}
	}
	return s.untouched(machines...)
}

// healthCheck waits for a condition of the MachineHealthCheck that is newer than the break.
func (s *Stage) healthCheck(ctx context.Context, conditionType string, status metav1.ConditionStatus, reason string) (time.Time, *metav1.Condition, error) {
	var condition *metav1.Condition
	what := fmt.Sprintf("the condition %s=%s %s on the MachineHealthCheck", conditionType, status, reason)
	entry, err := s.ownHealthCheck(ctx, what, func(mhc *clusterv1.MachineHealthCheck) bool {
		condition = meta.FindStatusCondition(mhc.Status.Conditions, conditionType)
		return condition != nil && condition.Status == status && condition.Reason == reason
	})
	return entry.At, condition, err
}

// ownHealthCheck waits for a state of the MachineHealthCheck.
func (s *Stage) ownHealthCheck(ctx context.Context, what string, matches func(*clusterv1.MachineHealthCheck) bool) (journal.Entry, error) {
	return s.Journal.MachineHealthCheck(ctx, client.ObjectKey{Namespace: s.Namespace, Name: s.Name}, what, matches)
}

// quoted returns a space and the quoted message, or nothing if it is empty.
func quoted(message string) string {
	if message == "" {
		return ""
	}
	return fmt.Sprintf(" %q", message)
}
