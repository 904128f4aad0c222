package cycle

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// anyModel draws who asks for what, and how fast everything is.
func anyModel(t *rapid.T) *model {
	w := newModel()
	w.t = t
	if rapid.IntRange(0, 2).Draw(t, "taints") == 0 {
		w.request.spec.Isolation = v1alpha1.OutOfServiceTaint
	}
	if w.request.spec.Until = rapid.SampledFrom([]v1alpha1.Step{"", "", v1alpha1.StepPowerOff, v1alpha1.StepDelete}).Draw(t, "until"); w.request.spec.Until != "" {
		w.seen.stepwise = true
		for _, step := range steps {
			if rapid.Bool().Draw(t, string(step)) {
				w.ask(step)
			}
		}
		if rapid.Bool().Draw(t, "asked for all") {
			w.personAsks()
		}
	}
	w.machine.autoscaled = rapid.IntRange(0, 3).Draw(t, "autoscaled") == 0
	w.operator.lag = rapid.SampledFrom([]time.Duration{0, 0, time.Second, 5 * time.Second}).Draw(t, "lag")
	w.operator.onDelay = rapid.SampledFrom([]time.Duration{0, 5 * time.Second, 40 * time.Second}).Draw(t, "on")
	w.operator.offDelay = rapid.SampledFrom([]time.Duration{0, 5 * time.Second, 40 * time.Second}).Draw(t, "off")
	w.kubelet.bootTime = rapid.SampledFrom([]time.Duration{0, 30 * time.Second, 5 * time.Minute}).Draw(t, "boot")
	w.host.unhealthy = rapid.SampledFrom([]string{"", "", probeOurs, probeTheirs}).Draw(t, "unhealthy")
	if rapid.IntRange(0, 5).Draw(t, "never joined") == 0 {
		w.workload.node, w.machine.node = nil, ""
	}
	return w
}

// anyPower draws a host that is on, or is off and may be on its way up.
func (w *model) anyPower(t *rapid.T) {
	switch rapid.SampledFrom([]string{"on", "on", "coming", "held"}).Draw(t, "power") {
	case "coming":
		w.setPower(false)
		w.host.poweredOn = false
		w.iron.target, w.iron.due = new(true), w.now.Add(w.operator.onDelay)
	case "held":
		w.host.keys[simOther] = "theirs"
		w.touchHost()
		w.advance(2 * time.Minute)
	default:
	}
}

// turn lets one thing happen: usually a step of the controller, or time passes.
func (w *model) turn(t *rapid.T, events []string) {
	name := rapid.OneOf(
		rapid.SampledFrom([]string{"step", "step", "step", "lost", "late"}),
		rapid.SampledFrom([]string{"step", "runs", "goes on 20s", "goes on 2m", "goes on 11m"}),
		rapid.SampledFrom([]string{"1s", "5s", "20s", "40s", "1m15s"}),
		rapid.SampledFrom(events),
	).Draw(t, "turn")
	switch d, err := time.ParseDuration(name); {
	case err == nil:
		w.advance(d)
	case name == "step", name == "lost", name == "late":
		w.step(name)
	case name == "runs":
		w.run()
	case strings.HasPrefix(name, "goes on "):
		d, _ := time.ParseDuration(strings.TrimPrefix(name, "goes on "))
		w.goOn(d)
	default:
		w.logf("* %s", name)
		happen(name)(w)
	}
	w.advance(0)
}

func happen(name string) event {
	for _, events := range []map[string]event{faults, doings, ends, leaders} {
		if e, ok := events[name]; ok {
			return e
		}
	}
	return nil
}

// run runs the controller until it waits.
func (w *model) run() {
	for range maxSteps {
		if _, busy := w.step("step"); !busy {
			return
		}
		w.advance(0)
	}
	w.t.Fatalf("the controller did not settle in phase %s", w.request.status.Phase)
}

// over reports whether nothing is left to do.
func (w *model) over() bool {
	staysForNode := w.request.deleting && w.request.forNode
	return !w.request.exists || !w.request.finalizer && w.request.status.Phase.Ended() && !staysForNode
}

// goOn runs the controller as in production: when what it watches has changed, and when a decision asks for it. It
// reports whether the cycle ends.
func (w *model) goOn(limit time.Duration) bool {
	end := w.now.Add(limit)
	for w.now.Before(end) {
		w.run()
		if w.over() {
			return true
		}
		before := w.noticed()
		for w.now.Before(end) {
			next := w.nextEvent(end)
			if next.After(w.now.Add(lookAgain)) && LooksForNode(w.request.status.Phase) {
				next = w.now.Add(lookAgain)
			}
			at := w.seen.rested.RecheckAt
			if !at.IsZero() && at.Before(next) {
				next = at
			}
			w.advance(max(next.Sub(w.now), 0))
			if !at.IsZero() && !w.now.Before(at) || LooksForNode(w.request.status.Phase) || !reflect.DeepEqual(before, w.noticed()) {
				break
			}
		}
	}
	return false
}

// noticed returns the facts whose changes wake the controller.
func (w *model) noticed() Facts {
	f := w.facts()
	f.Node = NodeFacts{}
	return f
}

func names(events ...map[string]event) []string {
	var all []string
	for _, e := range events {
		all = append(all, slices.Sorted(maps.Keys(e))...)
	}
	return all
}
