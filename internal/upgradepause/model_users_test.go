package upgradepause

import (
	"time"

	"pgregory.net/rapid"
)

// born are the states in which an object may appear, and what is wanted then.
var born = map[string]struct {
	annotations stored
	ghost       ghost
}{
	"fresh":                     {nil, ghost{}},
	"paused":                    {stored{keyPaused: ""}, ghost{by: "user"}},
	"paused with a value":       {stored{keyPaused: "true"}, ghost{by: "user", value: "true"}},
	"handed over":               {stored{keyPaused: "sickbay"}, ghost{handedOver: true}},
	"excepted":                  {stored{keyOption: "false"}, ghost{}},
	"paused by another program": {stored{keyPaused: "", keyMarker: ""}, ghost{by: "us"}},
	"unpaused for that":         {stored{keyMarker: ""}, ghost{}},
	"restored from a backup":    {ours("upgrade/0", noon.Add(-24*time.Hour)), ghost{by: "us", told: map[string]bool{"upgrade/0": true}}},
	"restored, handed over":     {handedOver("upgrade/0", noon.Add(-24*time.Hour)), ghost{by: "us", handedOver: true}},
}

func (m *model) create(t *rapid.T) {
	name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "new")
	if m.live[name] != nil {
		t.Skip("it is there")
	}
	how := born[rapid.SampledFrom([]string{
		"fresh", "fresh", "fresh", "fresh", "paused", "paused with a value", "handed over", "handed over", "excepted",
		"paused by another program", "unpaused for that", "restored from a backup", "restored, handed over",
	}).Draw(t, "how")]
	g := how.ghost.copy()
	g.overridden = map[string]bool{}
	m.version++
	m.live[name] = &object{uid: m.version, version: m.version, annotations: how.annotations.and(stored{"owner": "me"}), ghost: g}
	m.past[name] = append(m.past[name], *m.live[name])
}

func (m *model) remove(t *rapid.T) { delete(m.live, m.draw(t)) }

// unseen reports whether another program's marks have not been looked at yet. A user who then pauses
// as that program does cannot be told from it: that is the proposal's, and nothing can be done.
func (o *object) unseen() bool {
	_, marked := o.annotations[keyMarker]
	_, recorded := o.annotations[keyHandled]
	return marked && !recorded
}

func (m *model) pause(t *rapid.T) {
	name := m.draw(t)
	value := rapid.SampledFrom([]string{"", "", "true", "maintenance"}).Draw(t, "value")
	if m.live[name].unseen() {
		t.Skip("cannot be told apart")
	}
	m.live[name].ghost.override(m.live[name].annotations)
	m.write(name, func(o *object) {
		o.annotations[keyPaused] = value
		o.ghost.by, o.ghost.value, o.ghost.handedOver = "user", value, false
	})
}

// unpause a pause of ours or of a user, and leave the marker, or not. What was handed over may stay so.
func (m *model) unpause(t *rapid.T) {
	name := m.draw(t)
	if value, ok := m.live[name].annotations[keyPaused]; !ok || value == "sickbay" {
		t.Skip("not paused")
	}
	tidy, back := rapid.Bool().Draw(t, "tidy"), rapid.Bool().Draw(t, "give back")
	m.live[name].ghost.override(m.live[name].annotations)
	m.write(name, func(o *object) {
		delete(o.annotations, keyPaused)
		if o.ghost.handedOver && !back {
			o.annotations[keyPaused] = "sickbay"
		} else {
			o.ghost.handedOver = false
		}
		if tidy {
			delete(o.annotations, keyMarker)
		}
		o.ghost.by = ""
	})
}

// unmark: the user wants our pause to stay.
func (m *model) unmark(t *rapid.T) {
	name := m.draw(t)
	if m.live[name].ghost.by != "us" {
		t.Skip("not paused by us")
	}
	m.live[name].ghost.override(m.live[name].annotations)
	m.write(name, func(o *object) {
		delete(o.annotations, keyMarker)
		o.ghost.by, o.ghost.value, o.ghost.handedOver = "user", o.annotations[keyPaused], false
	})
}

// handOver to Sickbay, or take back.
func (m *model) handOver(t *rapid.T) {
	name := m.draw(t)
	m.live[name].ghost.override(m.live[name].annotations)
	m.write(name, func(o *object) {
		if o.annotations[keyPaused] == "sickbay" {
			delete(o.annotations, keyPaused)
			o.ghost.handedOver = false
			return
		}
		o.annotations[keyPaused] = "sickbay"
		o.ghost.by, o.ghost.handedOver = "", true
	})
}

func (m *model) except(t *rapid.T) {
	name := m.draw(t)
	value := rapid.SampledFrom([]string{"false", "true", "no"}).Draw(t, "value")
	m.write(name, func(o *object) {
		if _, ok := o.annotations[keyOption]; ok {
			delete(o.annotations, keyOption)
			return
		}
		o.annotations[keyOption] = value
	})
}

// prune takes everything away, also what is remembered.
func (m *model) prune(t *rapid.T) {
	m.write(m.draw(t), func(o *object) {
		o.annotations = stored{"owner": "me"}
		*o.ghost = ghost{overridden: map[string]bool{}}
	})
}
