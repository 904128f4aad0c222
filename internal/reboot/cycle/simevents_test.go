package cycle

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// event is something that happens to a model.
type event func(*model)

// faults are events that heal undoes.
var faults = map[string]event{
	"operator stops":    func(w *model) { w.operator.stopped = true },
	"operator starts":   func(w *model) { w.operator.stopped = false; w.operator.next = w.now },
	"host is paused":    func(w *model) { w.host.paused = true; w.touchHost() },
	"host is unpaused":  func(w *model) { w.host.paused = false; w.touchHost() },
	"host is detached":  func(w *model) { w.host.detached = true; w.touchHost() },
	"host is attached":  func(w *model) { w.host.detached = false; w.touchHost() },
	"BMC is lost":       func(w *model) { w.operator.blind = true },
	"BMC is back":       func(w *model) { w.operator.blind = false },
	"power fails":       func(w *model) { w.operator.failing = true },
	"power works":       func(w *model) { w.operator.failing = false },
	"power sticks":      func(w *model) { w.operator.stuck = true },
	"power is loose":    func(w *model) { w.operator.stuck = false },
	"firmware waits":    func(w *model) { w.operator.firmware = true },
	"state is lost":     func(w *model) { w.host.provisioned = false; w.host.version++ },
	"state is back":     func(w *model) { w.host.provisioned = true; w.touchHost() },
	"workload is lost":  func(w *model) { w.workload.down = true },
	"workload is back":  func(w *model) { w.workload.down = false },
	"Node sticks":       func(w *model) { w.workload.stuck = true },
	"Node is let go of": func(w *model) { w.letGo() },
	"others come first": func(w *model) { w.throttled = true },
	"it is our turn":    func(w *model) { w.throttled = false },
	"writes fail":       func(w *model) { w.lossy = 3 },
	"reads fail":        func(w *model) { w.unreadable = true },
	"reads work":        func(w *model) { w.unreadable = false },
	"never Ready":       func(w *model) { w.kubelet.unready = true },
	"Ready":             func(w *model) { w.kubelet.unready = false },
	"boots slowly":      func(w *model) { w.kubelet.bootTime = nodeTimeout + 5*time.Minute },
	"boots quickly":     func(w *model) { w.kubelet.bootTime = 30 * time.Second },
	"boot fails":        func(w *model) { w.kubelet.dead = true },
	"boot works":        func(w *model) { w.kubelet.dead = false },
	"offDelay":          func(w *model) { w.operator.offDelay = 40 * time.Second },
	"onDelay":           func(w *model) { w.operator.onDelay = 40 * time.Second },
}

// doings are things that people and programs do, and that heal does not undo.
var doings = map[string]event{
	"online: false": func(w *model) { w.host.online = false; w.touchHost() },
	"online: true":  func(w *model) { w.host.online = true; w.touchHost() },
	"all keys drop": func(w *model) { w.dropKeys(simKey, simProbe, simOther) },
	"our key drops": func(w *model) { w.dropKeys(simKey) },
	"other holds":   func(w *model) { w.host.keys[simOther] = "theirs"; w.touchHost() },
	"other lets go": func(w *model) { w.dropKeys(simOther) },
	"other asks":    (*model).otherAsks,
	"power dips":    func(w *model) { w.setPower(false); w.seen.boots++ },
	"hangs":         func(w *model) { w.kubelet.stop(w.now) },
	"recovers":      (*model).recovers,
	"Node is deleted by others": func(w *model) {
		w.workload.node = nil
	},
	"Node gets a label":  (*model).labelled,
	"Node gets a taint":  (*model).tainted,
	"Node is cordoned":   func(w *model) { w.changeNode(func(n *corev1.Node) { n.Spec.Unschedulable = true }) },
	"asked for all":      (*model).personAsks,
	"not asked for all":  func(w *model) { w.machine.plain = false },
	"asked for PowerOff": asks(v1alpha1.StepPowerOff, true),
	"asked for Delete":   asks(v1alpha1.StepDelete, true),
	"asked for PowerOn":  asks(v1alpha1.StepPowerOn, true),
	"not PowerOff":       asks(v1alpha1.StepPowerOff, false),
	"not Delete":         asks(v1alpha1.StepDelete, false),
	"not PowerOn":        asks(v1alpha1.StepPowerOn, false),
}

// leaders are managers that take over, with clocks of their own.
var leaders = map[string]event{
	"a leader whose clock is ahead":  anotherLeader(80 * time.Second),
	"a leader whose clock is behind": anotherLeader(-80 * time.Second),
	"a leader whose clock is right":  anotherLeader(0),
	"the clock jumps ahead":          func(w *model) { w.skew, w.skewed = w.skew+80*time.Second, true },
}

// ends are events that cannot be undone.
var ends = map[string]event{
	"request is deleted":  (*model).deleteRequest,
	"machine is deleted":  func(w *model) { w.machine.gone = true },
	"host is deleted":     func(w *model) { w.host.exists = false },
	"host is replaced":    func(w *model) { w.replaceHost() },
	"host is taken":       func(w *model) { w.host.ours = false; w.touchHost() },
	"disablePowerOff set": func(w *model) { w.host.fenceable = false; w.touchHost() },
}

func asks(step v1alpha1.Step, want bool) event {
	return func(w *model) {
		delete(w.machine.keys, step)
		if want && w.request.spec.Until != "" {
			w.ask(step)
		}
	}
}

// personAsks sets a person's annotation for a full cycle.
func (w *model) personAsks() {
	w.machine.plain = w.request.spec.Until != ""
	w.seen.stepwise = false
}

func (w *model) dropKeys(keys ...string) {
	for _, key := range keys {
		if _, ok := w.host.keys[key]; ok && key == simKey {
			w.seen.boots++
		}
		delete(w.host.keys, key)
	}
	w.touchHost()
}

func (w *model) otherAsks() {
	if _, ok := w.host.keys[simProbe]; !ok {
		w.host.keys[simProbe] = probeTheirs
		w.touchHost()
	}
}

func (w *model) recovers() {
	if w.iron.power && !w.iron.ramdisk && !w.kubelet.running {
		w.kubelet.startsAt = w.now
	}
}

func (w *model) labelled() {
	w.changeNode(func(n *corev1.Node) {
		n.Labels = merged(n.Labels, map[string]string{fmt.Sprintf("l%d", w.now.Second()%3): "v"})
	})
}

func (w *model) tainted() {
	w.changeNode(func(n *corev1.Node) {
		team := []corev1.Taint{{Key: "team", Value: "a", Effect: corev1.TaintEffectNoSchedule}}
		n.Spec.Taints = append(n.Spec.Taints, missingTaints(team, n.Spec.Taints)...)
	})
}

func (w *model) deleteRequest() {
	w.request.exists = w.request.exists && (w.request.finalizer || w.request.forNode)
	if !w.request.deleting {
		w.request.deleting, w.request.deletingAt = true, w.now
	}
	w.request.version++
}

func (w *model) replaceHost() {
	w.host.uid += "'"
	w.host.keys = map[string]string{}
	w.touchHost()
}

// heal ends all faults, and makes everybody want the usual.
func (w *model) heal() {
	for _, name := range []string{
		"operator starts", "host is unpaused", "host is attached", "BMC is back", "power works", "power is loose", "state is back",
		"workload is back", "Node is let go of", "it is our turn", "boot works", "reads work", "Ready", "boots quickly",
	} {
		faults[name](w)
	}
	for _, name := range []string{"online: true", "other lets go"} {
		doings[name](w)
	}
	if !w.machine.plain {
		for _, name := range []string{"asked for PowerOff", "asked for Delete", "asked for PowerOn"} {
			doings[name](w)
		}
	}
	w.operator.firmware, w.lossy = false, 0
	w.kubelet.dead = false
}

// newModel returns a model in which a machine has stopped reporting, and a cycle is asked
// for.
func newModel() *model {
	w := &model{
		now:      time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC),
		iron:     simIron{power: true, boots: 1},
		host:     simHost{exists: true, uid: "h-1", keys: map[string]string{}, ours: true, fenceable: true, online: true, provisioned: true, poweredOn: true},
		kubelet:  simKubelet{bootTime: 30 * time.Second, running: true, registers: true},
		machine:  simMachine{uid: types.UID("m-1"), keys: map[v1alpha1.Step]bool{}},
		request:  simRequest{exists: true, spec: in("").Spec},
		workload: simWorkload{taintSupported: true, drainTime: 10 * time.Second},
		seen:     record{taintedAtBoot: -1},
	}
	w.operator.next = w.now
	w.operator.lag, w.operator.onDelay, w.operator.offDelay = time.Second, 5*time.Second, 5*time.Second
	w.advance(0)
	w.labelled()
	w.tainted()
	w.kubelet.stop(w.now)
	w.advance(2 * time.Minute)
	return w
}
