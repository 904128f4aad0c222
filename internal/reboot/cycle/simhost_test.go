package cycle

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// The keys that a simulated host may have. The one-shot request is ours or somebody else's.
const (
	simKey, simProbe, simOther = "ours", "", "other"
	probeOurs, probeTheirs     = "ours", "theirs"
)

// simHost is a BareMetalHost in the API.
type simHost struct {
	exists  bool
	uid     types.UID
	version int
	keys    map[string]string
	// unhealthy is the mark against choosing it for another machine: empty, ours or theirs.
	unhealthy string

	ours, fenceable, online, paused, detached, provisioned bool
	// These are what its operator reports.
	poweredOn, powerError, unmanageable, servicing bool
}

// simIron is the host itself.
type simIron struct {
	power bool
	// target is a command that the machine has accepted, and due is when it is carried out.
	target *bool
	due    time.Time
	// ramdisk says that the host runs the firmware tools, and not the system with its workloads.
	ramdisk  bool
	boots    int
	bootedAt time.Time
	offAt    time.Time
}

// running reports whether workloads run, or may run at any moment.
func (i simIron) running() bool {
	return (i.power && !i.ramdisk) || (i.target != nil && *i.target)
}

// simOperator is the program that switches hosts, and what may be wrong with it.
type simOperator struct {
	next time.Time
	// lag is how long it takes to notice a change; onDelay and offDelay are how long switching takes.
	lag, onDelay, offDelay time.Duration
	// stopped means that it does nothing, blind that it cannot reach the machine, failing that it
	// gets errors, and stuck that its commands have no effect.
	stopped, blind, failing, stuck bool
	// firmware says that the next power-on starts firmware work, which lasts until servicingEnds.
	firmware      bool
	servicingEnds time.Time
}

const (
	simPoll  = time.Minute
	simRetry = 3 * time.Second
)

// touchHost records a change of the object that its operator reacts to.
func (w *model) touchHost() {
	w.host.version++
	if due := w.now.Add(w.operator.lag); due.Before(w.operator.next) {
		w.operator.next = due
	}
}

// pass is one reconcile of the operator, step by step as in the real one.
func (w *model) pass() {
	h, o := &w.host, &w.operator
	o.next = w.now.Add(simPoll)
	if !h.exists || o.stopped || h.paused || h.detached || !h.provisioned || h.servicing {
		return
	}
	if h.unmanageable != o.blind {
		h.unmanageable = o.blind
		h.version++
	}
	if !o.blind && w.iron.power != h.poweredOn {
		h.poweredOn, h.powerError = w.iron.power, false
		h.version++
		o.next = w.now
		return
	}
	if _, asked := h.keys[simProbe]; asked && !h.poweredOn {
		delete(h.keys, simProbe)
		h.version++
		o.next = w.now
		return
	}
	if o.firmware && !h.poweredOn && h.online {
		w.service()
		return
	}
	want := h.online && len(h.keys) == 0
	if h.poweredOn != want {
		w.command(want)
	}
}

// command asks the machine to change its power.
func (w *model) command(want bool) {
	h, o := &w.host, &w.operator
	if o.blind || o.failing {
		h.powerError = true
		h.version++
		return
	}
	o.next = w.now.Add(simRetry)
	if w.iron.target != nil || o.stuck {
		return
	}
	h.powerError = false
	delay := o.offDelay
	if want {
		delay = o.onDelay
	}
	if !want && !h.fenceable {
		// It reboots instead, while there is a key.
		w.setPower(false)
		w.setPower(true)
		if _, asked := h.keys[simProbe]; asked {
			delete(h.keys, simProbe)
			h.version++
		}
		return
	}
	w.iron.target, w.iron.due = &want, w.now.Add(delay)
}

// service begins the firmware work.
func (w *model) service() {
	w.host.servicing = true
	w.host.version++
	w.operator.firmware, w.operator.servicingEnds = false, w.now.Add(5*time.Minute)
	w.iron.power, w.iron.ramdisk = true, true
}

// endService leaves the host running, whatever keys there are.
func (w *model) endService() {
	w.host.servicing = false
	w.host.version++
	w.seen.boots++
	w.operator.servicingEnds = time.Time{}
	w.iron.power, w.iron.ramdisk = false, false
	w.setPower(true)
	w.operator.next = w.now
}

// setPower changes whether the host really is on.
func (w *model) setPower(on bool) {
	if w.iron.power == on {
		return
	}
	w.iron.power, w.iron.ramdisk = on, false
	if on {
		w.iron.boots++
		w.iron.bootedAt = w.now
		w.kubelet.boot(w.now)
		return
	}
	w.iron.offAt = w.now
	w.kubelet.stop(w.now)
	if _, ours := w.host.keys[simKey]; ours {
		w.seen.cycles++
	}
}

// advance lets time pass, and everything happen that is due by then.
func (w *model) advance(d time.Duration) {
	end := w.now.Add(d)
	for {
		next := w.nextEvent(end)
		if next.After(w.now) {
			w.now = next
		}
		if !w.happen() && !w.now.Before(end) {
			return
		}
	}
}

// nextEvent returns when something happens by itself, or end if nothing does before.
func (w *model) nextEvent(end time.Time) time.Time {
	next := end
	for _, due := range []time.Time{w.operator.next, w.operator.servicingEnds, w.dueCommand(), w.kubelet.due(w)} {
		if !due.IsZero() && due.Before(next) {
			next = due
		}
	}
	return next
}

func (w *model) dueCommand() time.Time {
	if w.iron.target == nil {
		return time.Time{}
	}
	return w.iron.due
}

// happen does one thing that is due, and reports whether there was one.
func (w *model) happen() bool {
	switch {
	case w.iron.target != nil && !w.iron.due.After(w.now):
		on := *w.iron.target
		w.iron.target = nil
		if !w.iron.ramdisk {
			w.setPower(on)
		}
	case !w.operator.servicingEnds.IsZero() && !w.operator.servicingEnds.After(w.now):
		w.endService()
	case w.kubelet.happen(w):
	case !w.operator.next.After(w.now):
		w.pass()
	default:
		return false
	}
	return true
}

// hostFacts returns what can be read of the host.
func (w *model) hostFacts() HostFacts {
	h := w.host
	if !h.exists && w.request.status.Host == nil {
		return HostFacts{Missing: "The machine has no host"}
	}
	if !h.exists {
		return HostFacts{Missing: "The host h1 does not exist"}
	}
	f := HostFacts{
		Name: "h1", UID: h.uid, Ours: h.ours && !w.machine.gone, Fenceable: h.fenceable, Online: h.online, PoweredOn: h.poweredOn,
	}
	f.Unhealthy, f.UnhealthyByUs = h.unhealthy != "", h.unhealthy == probeOurs
	f.Obstacle = h.obstacle()
	f.Message = f.Obstacle
	for key, value := range h.keys {
		switch key {
		case simKey:
			f.Key = true
			f.ProbedAt, _ = time.Parse(time.RFC3339, value)
		case simProbe:
			f.Probe = value == probeOurs
			f.OtherProbe = value == probeTheirs
		default:
			f.OtherKeys = true
		}
	}
	return f
}

func (h simHost) obstacle() string {
	switch {
	case h.paused:
		return v1alpha1.ReasonHostPaused
	case h.detached:
		return v1alpha1.ReasonHostDetached
	case !h.provisioned:
		return v1alpha1.ReasonHostNotProvisioned
	case h.servicing:
		return v1alpha1.ReasonHostServicing
	case h.powerError, h.unmanageable:
		return v1alpha1.ReasonPowerManagementError
	}
	return ""
}
