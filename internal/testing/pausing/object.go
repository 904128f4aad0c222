package pausing

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// People simulates users of MachineHealthChecks while clusters upgrade.
type People struct {
	Live map[string]*Object
	// Past has every earlier version under a name: a cache may still show it.
	Past map[string][]Object
	Now  time.Time
	// WarnAfter is how long a pause may last before a warning.
	WarnAfter time.Duration

	version int
}

// NewPeople begins at noon, with no objects.
func NewPeople(warnAfter time.Duration) People {
	return People{Live: map[string]*Object{}, Past: map[string][]Object{}, Now: Noon, WarnAfter: warnAfter}
}

// Object is a MachineHealthCheck.
type Object struct {
	UID, Version int
	Annotations  Stored
	// ClusterExcepts means that its Cluster excepts it from all pauses.
	ClusterExcepts bool
	Ghost          *Ghost
}

// Born returns an object in one of the initial states.
func Born(how string) *Object {
	state := born[how]
	ghost := state.ghost.copy()
	ghost.overridden = map[string]bool{}
	return &Object{Annotations: state.annotations.And(Stored{"owner": "me"}), Ghost: ghost}
}

// String describes an object for a failure message.
func (o Object) String() string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(o.Annotations)) {
		parts = append(parts, fmt.Sprintf("%s=%q", key, o.Annotations[key]))
	}
	return strings.Join(parts, " ")
}

// Write stores a new version of an object.
func (p *People) Write(name string, change func(*Object)) {
	o := p.Live[name]
	o.Annotations = o.Annotations.And(nil)
	change(o)
	p.version++
	o.Version = p.version
	p.Past[name] = append(p.Past[name], *o)
}

// Copy returns a copy that can continue differently. It has no past.
func (p *People) Copy() People {
	other := *p
	other.Live, other.Past = map[string]*Object{}, map[string][]Object{}
	for name, o := range p.Live {
		clone := *o
		clone.Ghost = o.Ghost.copy()
		other.Live[name] = &clone
	}
	return other
}

// Names returns the names of all objects, sorted: the same seed must give the same history.
func (p *People) Names() []string { return slices.Sorted(maps.Keys(p.Live)) }

// Draw draws the name of an object.
func (p *People) Draw(t *rapid.T) string {
	if len(p.Live) == 0 {
		t.Skip("there is none")
	}
	return rapid.SampledFrom(p.Names()).Draw(t, "name")
}
