package controllerstate

import (
	"maps"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestMemory(t *testing.T) {
	var m Memory[int]
	if m.Get(owner) != 0 || len(m.All()) > 0 {
		t.Error("the zero value keeps something")
	}
	m.Set(another, 7)
	if got := m.Update(owner, func(kept *int) { *kept++ }); got != 1 || m.Get(owner) != 1 {
		t.Errorf("kept is %d, want 1", got)
	}
	if got := m.All(); !maps.Equal(got, map[client.ObjectKey]int{owner: 1, another: 7}) {
		t.Errorf("all are %v", got)
	}
	m.Set(owner, 0)
	m.Set(another, 0)
	if len(m.of) > 0 {
		t.Errorf("%v is kept", m.of)
	}
}

// TestForget: nothing is kept of an object once all about it is over, and nothing at all of one that is forgotten.
func TestForget(t *testing.T) {
	obj := written("owner", "1", "10")
	for name, one := range map[string]struct{ begin, end func(*Memory[int]) }{
		"a write":    {func(m *Memory[int]) { m.Expect(obj) }, func(m *Memory[int]) { m.Wait(obj, start) }},
		"a conflict": {func(m *Memory[int]) { m.Conflict(owner) }, func(m *Memory[int]) { m.NoConflict(owner) }},
		"a pause":    {func(m *Memory[int]) { m.BeginPause(owner, start) }, func(m *Memory[int]) { m.EndPause(owner) }},
		"a failure":  {func(m *Memory[int]) { m.Fail(owner, "x", "no", start) }, func(m *Memory[int]) { m.Succeed(owner, "x") }},
		"an unseen":  {func(m *Memory[int]) { m.ExpectFor(owner, obj, start) }, func(m *Memory[int]) { m.Drop(owner, obj) }},
		"a value":    {func(m *Memory[int]) { m.Set(owner, 1) }, func(m *Memory[int]) { m.Set(owner, 0) }},
	} {
		var m Memory[int]
		for how, end := range map[string]func(*Memory[int]){"it is over": one.end, "it is forgotten": func(m *Memory[int]) { m.Forget(owner) }} {
			if one.begin(&m); len(m.of) != 1 {
				t.Errorf("%s is not kept", name)
			}
			if end(&m); len(m.of) > 0 {
				t.Errorf("%s is kept although %s", name, how)
			}
		}
	}
}
