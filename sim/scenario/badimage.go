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
func badImage(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	image := fault.HoldBack{Cluster: s.Key(), MachineDeployment: s.Deployment()}
	s.breaks(ctx, image)
	for i := range machines {
		s.breaks(ctx, stopKubelet(s, &machines[i]))
	}
	first := s.firstOf(ctx, machines)
	// What breaks later has no part in the outcome.
	s.measure(nodeTimeout, first.judged, first.marked, time.Time{}, "one of three replaced, in vain; the others waited, and a fault elsewhere did not")
	waiting := slices.DeleteFunc(slices.Clone(machines), func(m clusterv1.Machine) bool { return m.UID == first.machine.UID })
	s.paced(ctx, waiting, "as many unproven repairs as it may have")
	late := s.inVain(ctx, first.machine, uids(machines))
	s.paced(ctx, waiting, "cools down after the last repair")
	s.lone(ctx)
	s.imageMended(ctx, image, waiting, late, append(uids(machines), late.UID))
}

// struck is a machine that was marked.
type struck struct {
	machine        *clusterv1.Machine
	judged, marked time.Time
}

// firstOf waits until all machines have a verdict and one is marked. It returns when the first verdict came.
func (s *Stage) firstOf(ctx context.Context, machines []clusterv1.Machine) struck {
	first := struck{}
	for i := range machines {
		judged := s.judged(ctx, &machines[i], metav1.ConditionFalse, "ReadyUnhealthy")
		if first.judged.IsZero() || judged.Before(first.judged) {
			first.judged = judged
		}
	}
	entry := mustGet(s.Journal.Await(ctx, "the mark on one of the machines", func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && slices.Contains(uids(machines), m.UID) && journal.Marked(m)
	}))
	first.machine = &machines[slices.Index(uids(machines), entry.Object.GetUID())]
	first.marked = entry.At
	s.sayMark(first.marked, first.machine)
	return first
}

// inVain waits until the replacement of a machine is found sick because it never came up, and its record says so. It
// returns the replacement.
func (s *Stage) inVain(ctx context.Context, old *clusterv1.Machine, known []types.UID) *clusterv1.Machine {
	late := s.newMachine(ctx, "a new machine in place of "+old.Name, old, known)
	s.judged(ctx, late, metav1.ConditionFalse, "NodeStartupTimedOut")
	s.ended(ctx, old, v1alpha1.ReasonReplacementFailed)
	// The replacement's own record continues the chain, which has no attempts left.
	s.record(ctx, late, "the end of the chain", journal.InPhase(v1alpha1.RemediationHeld, v1alpha1.ReasonNoStepLeft))
	return late
}

// paced waits until the MachineHealthCheck says which machines wait and why, and checks that they were not touched.
func (s *Stage) paced(ctx context.Context, waiting []clusterv1.Machine, why string) {
	says := func(mhc *clusterv1.MachineHealthCheck) string {
		allowed := meta.FindStatusCondition(mhc.Status.Conditions, clusterv1.MachineHealthCheckRemediationAllowedCondition)
		if allowed == nil {
			return ""
		}
		return allowed.Message
	}
	entry := s.ownHealthCheck(ctx, "the pacing of the others", func(mhc *clusterv1.MachineHealthCheck) bool {
		return strings.Contains(says(mhc), fmt.Sprintf("%d wait their turn", len(waiting))) && strings.Contains(says(mhc), why)
	})
	s.say(Refrains, entry.At, "MachineHealthCheck %s:%s", s.Name, quoted(says(entry.Object.(*clusterv1.MachineHealthCheck))))
	s.untouched(&waiting[0], &waiting[1])
}

// lone makes a machine of another pool sick, and waits for its replacement.
func (s *Stage) lone(ctx context.Context) {
	machine := s.onlyMachine(ctx, s.Elsewhere[0].Name)
	judged := s.sickens(ctx, machine, stopKubelet(s, machine))
	marked, _ := s.markedAndReplaced(ctx, machine, nil)
	if wait := marked.Sub(judged); wait > atOnce {
		failf("machine %s was marked %s after its verdict: it had to wait for the others", machine.Name, wait)
	}
	s.ended(ctx, machine, v1alpha1.ReasonReplaced)
}

// imageMended heals everything: new machines come up again, the kubelets of the waiting machines come back, and a person
// deletes the machine that never came up.
func (s *Stage) imageMended(ctx context.Context, image fault.Fault, waiting []clusterv1.Machine, late *clusterv1.Machine, known []types.UID) {
	s.mends(ctx, image, "the image is mended: machines made from now on will join")
	for i := range waiting {
		s.mends(ctx, stopKubelet(s, &waiting[i]), "the kubelet of machine "+waiting[i].Name+" is back")
		s.judged(ctx, &waiting[i], metav1.ConditionTrue, "Succeeded")
	}
	s.say(Decides, time.Now(), "%s deletes machine %s, which never came up", person, late.Name)
	mustDo(s.World.Client().Delete(ctx, late), "deleting machine %s", late.Name)
	s.ended(ctx, late, v1alpha1.ReasonMachineDeleted)
	// If no machine comes up, the error also says whether a waiting one was touched.
	err := catch(func() { s.succeeded(ctx, late, known) })
	must(errors.Join(err, catch(func() { s.untouched(&waiting[0], &waiting[1]) })))
}
