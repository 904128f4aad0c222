package cycle

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// pair is a model with several RebootRemediations of one machine. The controller works on one at a time: the state of that one is in the
// model, and the state of each other one is at its desk.
type pair struct {
	*model
	desks []desk
	at    int
}

// desk is the state of one RebootRemediation.
type desk struct {
	name    string
	request simRequest
	machine simMachine
	seen    record
	late    *simWrite
}

func newPair(t rapid.TB) *pair {
	w := newModel()
	w.t = t
	return &pair{model: w, desks: []desk{{name: "m"}}}
}

// joins adds a RebootRemediation that asks for another cycle.
func (p *pair) joins(name string) {
	d := desk{name: name, request: simRequest{exists: true, spec: in("").Spec}, seen: record{taintedAtBoot: -1}}
	d.machine.keys = map[v1alpha1.Step]bool{}
	p.desks = append(p.desks, d)
}

// sit moves the controller to another RebootRemediation.
func (p *pair) sit(next int) {
	w, old := p.model, &p.desks[p.at]
	old.request, old.seen, old.late = w.request, w.seen, w.late
	old.machine = simMachine{plain: w.machine.plain, keys: w.machine.keys}
	p.keysOf(simKey, probeOurs, old.name)
	d := &p.desks[next]
	p.at = next
	w.request, w.seen, w.late = d.request, d.seen, d.late
	w.machine.plain, w.machine.keys = d.machine.plain, d.machine.keys
	p.keysOf(d.name, d.name, simKey)
	w.earlier = nil
	for i := range p.desks {
		if other := &p.desks[i]; i != next && other.request.exists {
			r := v1alpha1.RebootRemediation{Spec: other.request.spec, Status: *other.request.status.DeepCopy()}
			r.Name = other.name
			w.earlier = append(w.earlier, r)
		}
	}
}

// keysOf renames a key on the host, between ours and somebody else's.
func (p *pair) keysOf(from, probe, to string) {
	keys := maps.Clone(p.host.keys)
	if value, ok := keys[from]; ok {
		delete(keys, from)
		keys[to] = value
	}
	if value, ok := keys[simProbe]; ok && value == probe {
		keys[simProbe] = map[bool]string{true: probeOurs, false: to}[to == simKey]
	}
	p.host.keys = keys
}

// turnOf runs one step for a RebootRemediation, and checks what it does to the others.
func (p *pair) turnOf(i int, fate string) (busy bool) {
	p.sit(i)
	if !p.request.exists {
		return false
	}
	if f := p.facts(); p.late == nil && Begins(&f, Decide(f, p.now)) {
		// The controller takes this step under a lock.
		fate = "step"
	}
	before := p.request.status
	_, busy = p.step(fate)
	after := p.request.status
	if OwesNode(&before) && !OwesNode(&after) {
		p.seen.wanted, p.seen.taintedAtBoot = nil, -1
	}
	if before.BeganAt == nil && after.BeganAt != nil {
		for j := range p.desks {
			if other := &p.desks[j]; j != i && OwesNode(&after) && OwesNode(&other.request.status) {
				p.seen.wanted = both(p.seen.wanted, other.seen.wanted)
				p.seen.taintedAtBoot = max(p.seen.taintedAtBoot, other.seen.taintedAtBoot)
			}
		}
	}
	p.advance(0)
	p.checkOne()
	return busy
}

// checkOne checks that only one cycle of the machine has its host off.
func (p *pair) checkOne() {
	p.sit(p.at)
	var off []string
	for i := range p.desks {
		status := &p.desks[i].request.status
		if row := rowOf(status.Phase); status.Phase != "" && !status.Phase.Ended() && (row.keepsOff || row.off) {
			off = append(off, fmt.Sprintf("%s (%s)", p.desks[i].name, status.Phase))
		}
	}
	if len(off) > 1 {
		p.t.Fatalf("two cycles at once: %v", off)
	}
}

// goOnTogether runs the controller until all cycles have ended, and reports whether they have.
func (p *pair) goOnTogether(limit time.Duration) bool {
	for end := p.now.Add(limit); p.now.Before(end); p.advance(20 * time.Second) {
		over := true
		p.sit(p.at)
		for i := range p.desks {
			for range 2 * maxSteps {
				if !p.turnOf(i, "step") {
					break
				}
			}
			over = over && p.model.over()
		}
		if over {
			return true
		}
	}
	return false
}

// TestTwoAtOnce lets anything happen to a machine for which two cycles are asked. Only one cycle at
// a time has the host off, all of them end, and nothing is left behind.
func TestTwoAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPair(t)
		var taint v1alpha1.Isolation
		if rapid.IntRange(0, 3).Draw(t, "taints") == 0 {
			taint = v1alpha1.OutOfServiceTaint
		}
		p.request.spec.Isolation = taint
		before := contentOf(p.workload.node)
		p.joins("next")
		p.desks[1].request.spec.Isolation = taint
		p.desks[1].request.exists = false
		for range rapid.SampledFrom([]int{20, 40, 80, 160}).Draw(t, "turns") {
			name := rapid.OneOf(
				rapid.SampledFrom([]string{"step", "step", "lost", "late", "both", "both"}),
				rapid.SampledFrom([]string{"1s", "20s", "1m15s", "2m", "11m", "21m"}),
				rapid.SampledFrom([]string{"both", "another asks"}),
				rapid.SampledFrom(names(faults)),
			).Draw(t, "turn")
			switch d, err := time.ParseDuration(name); {
			case err == nil:
				p.goOnTogether(d)
			case name == "step", name == "lost", name == "late":
				p.turnOf(rapid.IntRange(0, 1).Draw(t, "whose"), name)
			case name == "both":
				p.turnOf(0, "step")
				p.turnOf(1, "step")
			case name == "another asks":
				p.sit(0)
				p.desks[1].request.exists = true
			default:
				p.logf("* %s", name)
				happen(name)(p.model)
				p.advance(0)
			}
		}
		p.heal()
		p.logf("* all is healed")
		if !p.goOnTogether(4 * p.longest()) {
			p.sit(0)
			t.Fatalf("no end in sight: %s (%+v), %s (%+v)", p.desks[0].request.status.Phase, p.desks[0].request.status.Conditions, p.desks[1].request.status.Phase, p.desks[1].request.status.Conditions)
		}
		if node := p.workload.node; node == nil || !Ready(node) {
			// Only a person can start it.
			p.setPower(false)
			p.setPower(true)
		}
		p.advance(time.Hour)
		p.goOnTogether(time.Minute)
		p.checkLeft()
		p.sit(1 - p.at)
		p.checkLeft()
		if node := p.workload.node; node == nil || Missing(before, node).Any() || Tainted(node) {
			t.Fatalf("the Node is left as %+v", node)
		}
	})
}
