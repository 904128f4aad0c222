package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// atOnce is how soon a single fault is repaired while many faults elsewhere must wait.
const atOnce = 10 * time.Second

// badImage: all machines of a pool fall sick, and new ones never come up. Sickbay has one replaced; because that does not
// help, the others must wait. A machine of another pool that falls sick meanwhile is replaced at once.
func badImage(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	image := fault.HoldBack{Cluster: s.Key(), MachineDeployment: s.Deployment()}
	if err := s.breaks(ctx, image); err != nil {
		return Outcome{}, err
	}
	for i := range machines {
		if err := s.breaks(ctx, stopKubelet(s, &machines[i])); err != nil {
			return Outcome{}, err
		}
	}
	first, err := s.firstOf(ctx, machines)
	if err != nil {
		return Outcome{}, err
	}
	detected, marked := s.since(first.judged), s.since(first.marked)
	waiting := slices.DeleteFunc(slices.Clone(machines), func(m clusterv1.Machine) bool { return m.UID == first.machine.UID })
	if err := s.paced(ctx, waiting, "as many unproven repairs as it may have"); err != nil {
		return Outcome{}, err
	}
	late, err := s.inVain(ctx, first.machine, uids(machines))
	if err != nil {
		return Outcome{}, err
	}
	if err := s.paced(ctx, waiting, "cools down after the last repair"); err != nil {
		return Outcome{}, err
	}
	if err := s.lone(ctx); err != nil {
		return Outcome{}, err
	}
	outcome := Outcome{
		Detected: detected, Late: max(0, detected-nodeTimeout), Remediated: marked,
		Remark: "one of three replaced, in vain; the others waited, and a fault elsewhere did not",
	}
	return outcome, s.imageMended(ctx, image, waiting, late, append(uids(machines), late.UID))
}

// struck is a machine that was marked.
type struck struct {
	machine        *clusterv1.Machine
	judged, marked time.Time
}

// firstOf waits until all machines have a verdict and one is marked.
func (s *Stage) firstOf(ctx context.Context, machines []clusterv1.Machine) (struck, error) {
	first := struck{}
	for i := range machines {
		judged, err := s.judged(ctx, &machines[i], metav1.ConditionFalse, "ReadyUnhealthy", true)
		if err != nil {
			return first, err
		}
		if first.judged.IsZero() || judged.Before(first.judged) {
			first.judged = judged
		}
	}
	entry, err := s.Journal.Await(ctx, "the mark on one of the machines", func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && slices.Contains(uids(machines), m.UID) && journal.Marked(m)
	})
	if err != nil {
		return first, err
	}
	i := slices.Index(uids(machines), entry.Object.GetUID())
	first.machine = &machines[i]
	first.marked, err = s.marked(ctx, first.machine)
	return first, err
}

// inVain waits until the replacement of a machine is found sick because it never came up, and its record says so. It
// returns the replacement.
func (s *Stage) inVain(ctx context.Context, old *clusterv1.Machine, known []types.UID) (*clusterv1.Machine, error) {
	entry, err := s.Journal.Await(ctx, "a new machine in place of "+old.Name, func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && sameOwner(m, old) && !slices.Contains(known, m.UID)
	})
	if err != nil {
		return nil, err
	}
	late := entry.Object.(*clusterv1.Machine)
	if _, err := s.judged(ctx, late, metav1.ConditionFalse, "NodeStartupTimedOut", true); err != nil {
		return nil, err
	}
	if _, err = s.ended(ctx, old, v1alpha1.ReasonReplacementFailed); err != nil {
		return nil, err
	}
	// The replacement's own record continues the chain, which has no attempts left.
	_, _, err = s.record(ctx, late, "the end of the chain", journal.InPhase(v1alpha1.RemediationHeld, v1alpha1.ReasonNoStepLeft))
	return late, err
}

// paced waits until the MachineHealthCheck says which machines wait and why, and checks that they were not touched.
func (s *Stage) paced(ctx context.Context, waiting []clusterv1.Machine, why string) error {
	says := func(mhc *clusterv1.MachineHealthCheck) string {
		allowed := meta.FindStatusCondition(mhc.Status.Conditions, clusterv1.MachineHealthCheckRemediationAllowedCondition)
		if allowed == nil {
			return ""
		}
		return allowed.Message
	}
	entry, err := s.ownHealthCheck(ctx, "the pacing of the others", func(mhc *clusterv1.MachineHealthCheck) bool {
		return strings.Contains(says(mhc), fmt.Sprintf("%d are paced", len(waiting))) && strings.Contains(says(mhc), why)
	})
	if err != nil {
		return err
	}
	s.say(Refrains, entry.At, "MachineHealthCheck %s:%s", s.Name, quoted(says(entry.Object.(*clusterv1.MachineHealthCheck))))
	return s.untouched(&waiting[0], &waiting[1])
}

// lone makes a machine of another pool sick, and waits for its replacement.
func (s *Stage) lone(ctx context.Context) error {
	machines, err := s.World.PoolMachines(ctx, s.Key(), s.Elsewhere[0].Name)
	if err != nil {
		return err
	}
	if len(machines) != 1 {
		return fmt.Errorf("pool %s has %d machines instead of one", s.Elsewhere[0].Name, len(machines))
	}
	if err := s.breaks(ctx, stopKubelet(s, &machines[0])); err != nil {
		return err
	}
	judged, err := s.judged(ctx, &machines[0], metav1.ConditionFalse, "ReadyUnhealthy", true)
	if err != nil {
		return err
	}
	marked, _, err := s.markedAndReplaced(ctx, &machines[0], uids(machines))
	if err != nil {
		return err
	}
	if wait := marked.Sub(judged); wait > atOnce {
		return fmt.Errorf("machine %s was marked %s after its verdict: it had to wait for the others", machines[0].Name, wait)
	}
	_, err = s.ended(ctx, &machines[0], v1alpha1.ReasonReplaced)
	return err
}

// imageMended heals everything: new machines come up again, the kubelets of the waiting machines come back, and a person
// deletes the machine that never came up.
func (s *Stage) imageMended(ctx context.Context, image fault.Fault, waiting []clusterv1.Machine, late *clusterv1.Machine, known []types.UID) error {
	if err := s.mends(ctx, image, "the image is mended: machines made from now on will join"); err != nil {
		return err
	}
	for i := range waiting {
		if err := s.mends(ctx, stopKubelet(s, &waiting[i]), "the kubelet of machine "+waiting[i].Name+" is back"); err != nil {
			return err
		}
		if _, err := s.judged(ctx, &waiting[i], metav1.ConditionTrue, "Succeeded", true); err != nil {
			return err
		}
	}
	s.say(Decides, time.Now(), "%s deletes machine %s, which never came up", person, late.Name)
	if err := s.World.Client().Delete(ctx, late.DeepCopy()); err != nil {
		return fmt.Errorf("deleting machine %s: %w", late.Name, err)
	}
	if _, err := s.ended(ctx, late, v1alpha1.ReasonMachineDeleted); err != nil {
		return err
	}
	_, err := s.succeeded(ctx, late, known)
	return errors.Join(err, s.untouched(&waiting[0], &waiting[1]))
}
