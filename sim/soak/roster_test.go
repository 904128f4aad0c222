package soak

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
)

func TestRoster(t *testing.T) {
	var machines []fleet.Machine
	for _, name := range []string{"a-0", "a-1", "b-0", "b-1"} {
		machines = append(machines, fleet.Machine{ObjectKey: client.ObjectKey{Name: name}})
	}
	b := newRoster(machines, 2)
	m, ok := b.take(1, 0)
	if !ok || m != machines[2] {
		t.Fatalf("took %v, %t", m, ok)
	}
	if _, ok := b.take(1, 0); ok {
		t.Error("took a machine twice")
	}
	next := successor(m)
	b.replace(m, next)
	if _, found := b.find(m.ObjectKey); found {
		t.Error("the machine that was replaced is still there")
	}
	if again, found := b.find(next.ObjectKey); !found || again != next {
		t.Errorf("found %v, %t instead of its successor", again, found)
	}
	b.free(m) // too late to have an effect
	if diff := cmp.Diff([]fleet.Machine{machines[3], next}, b.takeSome(1, 1, 5)); diff != "" {
		t.Error(diff)
	}
	b.free(next)
	if diff := cmp.Diff([]fleet.Machine{next}, b.takeSome(1, 1, 5)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]fleet.Machine{machines[0], machines[1], next, machines[3]}, b.all()); diff != "" {
		t.Error(diff)
	}
}

func TestSuccessor(t *testing.T) {
	m := fleet.Machine{ObjectKey: client.ObjectKey{Namespace: "ns", Name: "c0-worker-7"}}
	for _, want := range []string{"c0-worker-7-r1", "c0-worker-7-r2", "c0-worker-7-r3"} {
		if m = successor(m); m.Name != want {
			t.Fatalf("got %s, want %s", m.Name, want)
		}
	}
}
