package scenario

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// These times are minutes on real bare metal.
const (
	offTakes = time.Second
	onTakes  = 500 * time.Millisecond
	bootTime = 1500 * time.Millisecond
)

// hostHangs: a host that hangs is switched off and proven off, loses its Node, and comes back. The new Node has what
// people had put on the old one. The machine stays.
func hostHangs(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	machine := &machines[0]
	host := s.hostOf(machine)
	node, hosts := s.dressed(ctx, host)
	judged := s.sickens(ctx, machine, fault.HangHost{Host: host})
	s.record(ctx, machine, "step "+rebootName, trying(rebootName))
	made := s.cycleMade(ctx, machine)
	s.follow(ctx, machine, scenes, made)
	must(Restored(ctx, s.World.Client(), node))
	ready := s.recovered(ctx, machine)
	s.outcome = Outcome{
		Detected: s.since(judged), Remediated: s.since(made), Ready: s.since(ready),
		Remark: "power-cycled once, its Node deleted while it was off; the machine stays",
	}
	s.ended(ctx, machine, v1alpha1.ReasonRecovered)
	s.untouched(machine)
	must(hosts.Cycled(ctx, host))
}

// dressed slows a host down, so that the story shows each phase, and dresses its Node.
func (s *Stage) dressed(ctx context.Context, host client.ObjectKey) (*corev1.Node, *Hosts) {
	s.World.Host(host).Set(baremetal.Faults{OffTakes: offTakes, OnTakes: onTakes})
	node := mustGet(Dress(ctx, s.World.Client(), host.Name))
	return node, mustGet(RememberHosts(ctx, s.World, s.Journal, s.Key()))
}

// scene is the text for a phase of a cycle.
type scene struct {
	phase v1alpha1.Phase
	text  string
}

// scenes are the phases of a cycle.
var scenes = []scene{
	{v1alpha1.PoweringOff, "host %s is kept off"},
	{v1alpha1.Fenced, "host %s is proven off"},
	{v1alpha1.Isolating, "Node %s is to be deleted; what is on it is kept"},
	{v1alpha1.PoweringOn, "Node %s is deleted; the host may come on again"},
	{v1alpha1.WaitingForNode, "host %s is on"},
	{v1alpha1.Restoring, "Node %s is back, as another one"},
	{v1alpha1.Succeeded, "Node %s has its labels, annotations, taints and cordon back"},
}

// cycleMade waits for the RebootRemediation of a machine, and tells it.
func (s *Stage) cycleMade(ctx context.Context, machine *clusterv1.Machine) time.Time {
	made := s.made(ctx, machine)
	s.say(Acted, made.At, "RebootRemediation %s is created as template %s says", made.Object.GetName(), s.Templates[0].GetName())
	return made.At
}

// made waits for the RebootRemediation of a machine since something broke. It may be seen before the verdict, as states of different
// kinds are seen in any order, but it must not be stored before.
func (s *Stage) made(ctx context.Context, machine *clusterv1.Machine) journal.Entry {
	what := "the RebootRemediation of machine " + machine.Name
	entry := mustGet(s.Journal.Request(ctx, machine, what, s.began, func(*v1alpha1.RebootRemediation) bool { return true }))
	if verdict, judged := s.verdicts[machine.UID]; judged && entry.Before(verdict) {
		failf("RebootRemediation %s was made before the verdict", entry.Object.GetName())
	}
	return entry
}

// follow follows a RebootRemediation through successive phases, and returns when the last one began.
func (s *Stage) follow(ctx context.Context, machine *clusterv1.Machine, through []scene, last time.Time) time.Time {
	host := machine.Status.NodeRef.Name
	for _, p := range through {
		at := s.request(ctx, machine, p.phase, last)
		s.tellPower(host, last, at)
		s.say(Acted, at, "%-14s after %.1f s: "+p.text, p.phase, at.Sub(last).Seconds(), host)
		last = at
	}
	return last
}

// request waits until the RebootRemediation of a machine is in a phase.
func (s *Stage) request(ctx context.Context, machine *clusterv1.Machine, phase v1alpha1.Phase, since time.Time) time.Time {
	what := fmt.Sprintf("phase %q of the RebootRemediation of machine %s", phase, machine.Name)
	return mustGet(s.Journal.Request(ctx, machine, what, since, func(r *v1alpha1.RebootRemediation) bool { return r.Status.Phase == phase })).At
}

// tellPower tells how the real power of a host changed.
func (s *Stage) tellPower(host string, from, to time.Time) {
	for _, change := range s.World.Host(client.ObjectKey{Namespace: s.Namespace, Name: host}).History() {
		if change.At.After(from) && !change.At.After(to) {
			power := "loses its"
			if change.Running {
				power = "has"
			}
			s.say(Power, change.At, "the machine behind host %s %s power", host, power)
		}
	}
}

// recovered waits until a machine is healthy again and its RebootRemediation is removed.
func (s *Stage) recovered(ctx context.Context, machine *clusterv1.Machine) time.Time {
	ready := s.verdict(ctx, machine, metav1.ConditionTrue, "Succeeded").At
	s.say(Healthy, ready, "machine %s, the same as before: Node Ready, HealthCheckSucceeded=True", machine.Name)
	cycle := mustGet(s.Journal.Request(ctx, machine, "the success of the RebootRemediation of machine "+machine.Name, s.began, func(r *v1alpha1.RebootRemediation) bool {
		return r.Status.Phase == v1alpha1.Succeeded
	}))
	gone := mustGet(s.Journal.Gone(ctx, cycle.Object.GetUID(), "the end of RebootRemediation "+cycle.Object.GetName()))
	s.say(Acted, gone.At, "RebootRemediation %s is removed; nothing of it is left on the host", gone.Object.GetName())
	return ready
}
