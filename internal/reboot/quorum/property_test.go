package quorum

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plane is a control plane in which anything may happen to a machine, and every machine always wants to be cycled.
type plane struct {
	machines []member
	home     Home
	external bool
}

type member struct {
	state           State
	cycled, leftOff bool
}

var states = []State{Up, Up, Up, Deleting, Sick, NotJoined, HostKeptOff, HostOff, NodeGone, NodeNotReady, NodeUnreadable}

func anyPlane(t *rapid.T) *plane {
	p := &plane{
		machines: make([]member, rapid.IntRange(1, 7).Draw(t, "machines")),
		home:     rapid.SampledFrom([]Home{HomeHere, HomeElsewhere, HomeUnknown}).Draw(t, "home"),
		external: rapid.IntRange(0, 3).Draw(t, "external etcd") == 0,
	}
	for i := range p.machines {
		p.machines[i].state = rapid.SampledFrom(states).Draw(t, "state")
	}
	return p
}

// without returns the facts for deciding about machine i.
func (p *plane) without(i int) Facts {
	f := Facts{Home: p.home, ExternalEtcd: p.external}
	for j, m := range p.machines {
		if j == i {
			continue
		}
		name := string(rune('a' + j))
		peer := Peer{Name: name, State: m.state}
		if m.leftOff {
			peer.LeftOffBy = "r-" + name
		}
		if m.cycled {
			f.Cycles = append(f.Cycles, "r-"+name)
		}
		f.Peers = append(f.Peers, peer)
	}
	return f
}

// offByUs counts the machines that are being cycled, and those whose hosts we have switched off.
func (p *plane) offByUs() (cycled, off int) {
	for _, m := range p.machines {
		if m.cycled {
			cycled++
		}
		if m.cycled || m.leftOff {
			off++
		}
	}
	return cycled, off
}

// upBeside counts the machines other than i that are certainly up.
func (p *plane) upBeside(i int) int {
	count := 0
	for j, m := range p.machines {
		if j != i && m.state == Up && !m.cycled && !m.leftOff {
			count++
		}
	}
	return count
}

// TestNeverTwo: whatever happens to the machines of a control plane, two of them are never cycled at once. Unless a person permits it,
// cycles never leave two hosts off, and a possible management cluster keeps its quorum.
func TestNeverTwo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPlane(t)
		for range rapid.IntRange(1, 40).Draw(t, "turns") {
			i := rapid.IntRange(0, len(p.machines)-1).Draw(t, "machine")
			m := &p.machines[i]
			switch rapid.SampledFrom([]string{"cycle", "cycle", "ends", "fails", "comes on", "changes"}).Draw(t, "turn") {
			case "cycle":
				f := p.without(i)
				f.Permitted = rapid.IntRange(0, 3).Draw(t, "permitted") == 0
				if m.cycled || m.leftOff || Waits(f) != "" {
					continue
				}
				m.cycled = true
				if cycled, off := p.offByUs(); cycled > 1 || off > 1 && !f.Permitted {
					t.Fatalf("two hosts are off at once: %+v", p.machines)
				}
				stacked, up := len(p.machines)/2+1, p.upBeside(i)
				if p.home != HomeElsewhere && !f.Permitted && (up == 0 || !p.external && up < stacked) {
					t.Fatalf("the quorum of what may be the management cluster is lost with machine %d: %+v", i, p.machines)
				}
			case "ends":
				m.cycled = false
			case "fails":
				m.leftOff, m.cycled = m.leftOff || m.cycled, false
			case "comes on":
				m.leftOff = false
			default:
				m.state = rapid.SampledFrom(states).Draw(t, "state")
			}
		}
	})
}

// TestGoesOn: if the others are all up, no machine waits, unless there is no quorum without it. The order in which the others are read
// does not matter.
func TestGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPlane(t)
		f := p.without(0)
		shuffled := f
		shuffled.Peers = rapid.Permutation(f.Peers).Draw(t, "order")
		if got, want := Waits(shuffled), Waits(f); got != want {
			t.Fatalf("in another order it says %q, not %q", got, want)
		}
		for i := range p.machines {
			p.machines[i] = member{}
		}
		spare := len(p.machines) > 2 || p.home == HomeElsewhere || p.external && len(p.machines) > 1
		if got := Waits(p.without(0)); (got == "") != spare {
			t.Fatalf("%d machines, %s, all up: %q", len(p.machines), p.home, got)
		}
	})
}

// TestWorseIsNoHelp: a peer in a worse state never frees a machine that had to wait.
func TestWorseIsNoHelp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyPlane(t).without(0)
		if len(f.Peers) == 0 || Waits(f) == "" {
			return
		}
		worse := f
		worse.Peers = slices.Clone(f.Peers)
		worse.Peers[rapid.IntRange(0, len(f.Peers)-1).Draw(t, "peer")].State = rapid.SampledFrom(states[3:]).Draw(t, "state")
		if Waits(worse) == "" {
			t.Fatalf("now it goes: %+v", worse)
		}
	})
}
