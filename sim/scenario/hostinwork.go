package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// hostInWork: a technician switches a host off, and its machine falls sick. The plan would cycle the host twice and then replace the machine,
// which would wipe its disks. Sickbay waits for the technician, for longer than both attempts may take, and has a slot for another machine.
func hostInWork(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	kept, other := &machines[0], &machines[1]
	hosts := mustGet(RememberHosts(ctx, s.World, s.Journal, s.Key()))
	work := fault.SwitchOff{Host: s.hostOf(kept)}
	judged := s.sickens(ctx, kept, work)
	s.outcome = Outcome{
		Detected: s.since(judged), Late: max(0, s.since(judged)-nodeTimeout),
		Remark: "not touched while a technician had the host off; meanwhile, another was power-cycled",
	}
	s.record(ctx, kept, "the wait for the technician", waitsFor(work.Host))
	s.cycledMeanwhile(ctx, other)
	s.quiet(ctx, time.Until(judged.Add(2*shortReboot))+quietTime, kept)
	s.nothingBegan(kept)
	s.say(Refrains, time.Now(), "two attempts would have timed out by now: host %s stays off", work.Host.Name)
	switchedOn := time.Now()
	s.mends(ctx, work, fmt.Sprintf("the technician switches host %s on again", work.Host.Name))
	healthy := s.judged(ctx, kept, metav1.ConditionTrue, "Succeeded")
	s.say(Healthy, healthy, "machine %s, the same as before: Node Ready, HealthCheckSucceeded=True", kept.Name)
	s.outcome.Ready = s.since(healthy)
	s.endedAfter(ctx, kept, v1alpha1.ReasonRecoveredUnaided, "")
	s.nothingBegan(kept)
	s.untouched(kept, other)
	must(errors.Join(hosts.cycled(ctx, s.hostOf(other), 1), hosts.switched(ctx, work.Host, switchedOn)))
}

// waitsFor matches records that wait for somebody who keeps a host, by name, and that have given their slot back.
func waitsFor(host client.ObjectKey) func(*v1alpha1.MachineRemediation) bool {
	waits := journal.InPhase(v1alpha1.RemediationPending, v1alpha1.ReasonRemediationHeldByOthers)
	return func(record *v1alpha1.MachineRemediation) bool {
		return waits(record) && strings.Contains(journal.Progress(record).Message, "host "+host.Name+" ") && record.Status.ReleasedGrant == record.Spec.Grant
	}
}

// cycledMeanwhile has another host hang, and follows the repair of its machine, which takes the only slot.
func (s *Stage) cycledMeanwhile(ctx context.Context, machine *clusterv1.Machine) {
	began := s.began
	s.sickens(ctx, machine, fault.HangHost{Host: s.hostOf(machine)})
	s.rebooted(ctx, machine)
	s.endedAfter(ctx, machine, v1alpha1.ReasonRecovered, "reboot: Succeeded")
	s.began = began
}

// nothingBegan checks that no attempt to repair a machine has begun.
func (s *Stage) nothingBegan(machine *clusterv1.Machine) {
	begun, found := s.Journal.Find(func(e journal.Entry) bool {
		if record, ok := e.Object.(*v1alpha1.MachineRemediation); ok && record.Spec.MachineRef.UID == machine.UID {
			return hasBegun(record)
		}
		return journal.IsRequest(e, machine) && e.Object.(*v1alpha1.RebootRemediation).Status.BeganAt != nil
	})
	if found {
		failf("%T %s has begun to repair machine %s", begun.Object, begun.Object.GetName(), machine.Name)
	}
	if records := s.Journal.Records(machine.UID); len(records) != 1 {
		failf("machine %s has %d MachineRemediations for one incident", machine.Name, len(records))
	}
}

func hasBegun(record *v1alpha1.MachineRemediation) bool {
	for _, attempt := range record.Status.Attempts {
		if attempt.BeganAt != nil {
			return true
		}
	}
	return false
}

// switched returns an error unless a host lost its power once, and got it back when a person wanted that, with the Node that it had. Nobody
// may have annotated it.
func (h *Hosts) switched(ctx context.Context, key client.ObjectKey, on time.Time) error {
	changes := h.world.Host(key).History()[h.before[key].changes:]
	if err := powered(key, changes, 1); err != nil {
		return err
	}
	if changes[1].At.Before(on) {
		return fmt.Errorf("host %s was on before the person wanted that: %v", key, changes)
	}
	remembered := journal.Entry{Object: h.before[key].object}
	touched, found := h.journal.Find(func(e journal.Entry) bool {
		host, ok := e.Object.(*metal3v1.BareMetalHost)
		return ok && client.ObjectKeyFromObject(host) == key && !e.Before(remembered) && !maps.Equal(host.Annotations, h.before[key].object.Annotations)
	})
	if found {
		return fmt.Errorf("host %s was annotated: %v", key, touched.Object.GetAnnotations())
	}
	node, err := h.nodeOn(ctx, key)
	if err == nil && node != h.before[key].node {
		err = fmt.Errorf("host %s has another Node", key)
	}
	return err
}
