package pausing

import (
	"time"

	"pgregory.net/rapid"
)

// born are the initial states of an object, and what is wanted in each.
var born = map[string]struct {
	annotations Stored
	ghost       Ghost
}{
	"fresh":                     {nil, Ghost{}},
	"paused":                    {Stored{KeyPaused: ""}, Ghost{By: "user"}},
	"paused with a value":       {Stored{KeyPaused: "true"}, Ghost{By: "user", value: "true"}},
	"handed over":               {Stored{KeyPaused: "sickbay"}, Ghost{handedOver: true}},
	"excepted":                  {Stored{KeyOption: "false"}, Ghost{}},
	"paused by another program": {Stored{KeyPaused: "", KeyMarker: ""}, Ghost{By: "us"}},
	"unpaused for that":         {Stored{KeyMarker: ""}, Ghost{}},
	"restored from a backup":    {Ours("upgrade/0", Noon.Add(-24*time.Hour)), Ghost{By: "us", pausedFor: map[string]bool{"upgrade/0": true}}},
	"restored, handed over":     {HandedOver("upgrade/0", Noon.Add(-24*time.Hour)), Ghost{By: "us", handedOver: true}},
}

// Create creates an object in one of the initial states.
func (p *People) Create(t *rapid.T) {
	name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "new")
	if p.Live[name] != nil {
		t.Skip("it is there")
	}
	how := rapid.SampledFrom([]string{
		"fresh", "fresh", "fresh", "fresh", "paused", "paused with a value", "handed over", "handed over", "excepted",
		"paused by another program", "unpaused for that", "restored from a backup", "restored, handed over",
	}).Draw(t, "how")
	p.version++
	p.Live[name] = Born(how)
	p.Live[name].UID, p.Live[name].Version = p.version, p.version
	p.Past[name] = append(p.Past[name], *p.Live[name])
}

// Remove deletes an object.
func (p *People) Remove(t *rapid.T) { delete(p.Live, p.Draw(t)) }

// unseen reports whether nobody has looked at another program's marks yet. If a user then pauses the way that
// program does, the two cannot be distinguished. That is a limit of the proposal.
func (o *Object) unseen() bool {
	_, marked := o.Annotations[KeyMarker]
	_, recorded := o.Annotations[KeyHandled]
	return marked && !recorded
}

// Pause makes a user pause an object.
func (p *People) Pause(t *rapid.T) {
	name := p.Draw(t)
	value := rapid.SampledFrom([]string{"", "", "true", "maintenance"}).Draw(t, "value")
	if p.Live[name].unseen() {
		t.Skip("cannot be told apart")
	}
	p.Live[name].Ghost.override(p.Live[name].Annotations)
	p.Write(name, func(o *Object) {
		o.Annotations[KeyPaused] = value
		o.Ghost.By, o.Ghost.value, o.Ghost.handedOver = "user", value, false
	})
}

// Unpause makes a user end our pause or a user's, and keep the marker, or not. An object that was handed over
// may stay so.
func (p *People) Unpause(t *rapid.T) {
	name := p.Draw(t)
	if value, ok := p.Live[name].Annotations[KeyPaused]; !ok || value == "sickbay" {
		t.Skip("not paused")
	}
	tidy, back := rapid.Bool().Draw(t, "tidy"), rapid.Bool().Draw(t, "give back")
	p.Live[name].Ghost.override(p.Live[name].Annotations)
	p.Write(name, func(o *Object) {
		delete(o.Annotations, KeyPaused)
		if o.Ghost.handedOver && !back {
			o.Annotations[KeyPaused] = "sickbay"
		} else {
			o.Ghost.handedOver = false
		}
		if tidy {
			delete(o.Annotations, KeyMarker)
		}
		o.Ghost.By = ""
	})
}

// Unmark makes a user take over our pause.
func (p *People) Unmark(t *rapid.T) {
	name := p.Draw(t)
	if p.Live[name].Ghost.By != "us" {
		t.Skip("not paused by us")
	}
	p.Live[name].Ghost.override(p.Live[name].Annotations)
	p.Write(name, func(o *Object) {
		delete(o.Annotations, KeyMarker)
		o.Ghost.By, o.Ghost.value, o.Ghost.handedOver = "user", o.Annotations[KeyPaused], false
	})
}

// HandOver makes a user hand an object over to Sickbay, or take it back.
func (p *People) HandOver(t *rapid.T) {
	name := p.Draw(t)
	p.Live[name].Ghost.override(p.Live[name].Annotations)
	p.Write(name, func(o *Object) {
		if o.Annotations[KeyPaused] == "sickbay" {
			delete(o.Annotations, KeyPaused)
			o.Ghost.handedOver = false
			return
		}
		o.Annotations[KeyPaused] = "sickbay"
		o.Ghost.By, o.Ghost.handedOver = "", true
	})
}

// Except makes a user except an object, or end that.
func (p *People) Except(t *rapid.T) {
	name := p.Draw(t)
	value := rapid.SampledFrom([]string{"false", "true", "no"}).Draw(t, "value")
	p.Write(name, func(o *Object) {
		if _, ok := o.Annotations[KeyOption]; ok {
			delete(o.Annotations, KeyOption)
			return
		}
		o.Annotations[KeyOption] = value
	})
}

// Prune removes all annotations, including our record.
func (p *People) Prune(t *rapid.T) {
	p.Write(p.Draw(t), func(o *Object) {
		o.Annotations = Stored{"owner": "me"}
		*o.Ghost = Ghost{overridden: map[string]bool{}}
	})
}
