package history

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
	"github.com/sickbay-dev/sickbay/sim/mishap"
)

var errNoAnswer = errors.New("http2: client connection lost")

// reads is called before each read of a process.
func (p *Process) reads(call apimodel.Call) error {
	if p.dead {
		p.crash()
	}
	if !call.Live {
		p.moveCache(call.Kind)
		return p.mayPauserRead(call)
	}
	if err := p.interrupt(call); err != nil {
		return err
	}
	return p.World.mayRead(call)
}

// moveCache makes a cache catch up if it lags too far behind, and may make it catch up at this very moment.
func (p *Process) moveCache(kind schema.GroupVersionKind) {
	behind := p.View.Behind(kind)
	if behind == 0 || (behind <= most && p.World.over()) || p.beside() {
		return
	}
	if behind > most {
		p.sync(kind, most)
	}
	p.World.pick(schedule.AtCache, func() []option {
		return []option{{fmt.Sprintf("the cache of %s of %s moves on", kind.Kind, p.Name), func() { p.sync(kind, 0) }}}
	})
}

// interrupt may make others act just before a call, or make the call fail.
func (p *Process) interrupt(call apimodel.Call) error {
	var failed error
	p.World.pick(schedule.AtRead, func() []option {
		var options []option
		for _, one := range p.others(call) {
			options = append(options, option{"before " + p.Name + " " + call.String() + ": " + one.name, func() {
				p.World.say("      before %s: %s", call, one.name)
				p.World.between(one.do)
			}})
		}
		if p.World.Spec.Has(worlds.Faults) && call.Live {
			options = append(options, option{p.Name + " " + call.String() + " fails", func() { failed = errNoAnswer }})
		}
		return options
	})
	if failed != nil {
		p.World.say("      %s: %v", call, failed)
	}
	return failed
}

// between makes something happen in the middle of a process's call.
func (w *World) between(do func()) {
	defer w.writesAs(nil)()
	w.nested++
	defer func() { w.nested-- }()
	do()
}

// others returns what can happen in the middle of a call of this process.
func (p *Process) others(call apimodel.Call) []option {
	about := aboutCall(call.Kind)
	options := p.World.disturbances(about)
	if about(kinds.Machine, kinds.Node, kinds.Request, kinds.Reboot) {
		options = append(options, p.World.work()...)
	}
	if p.World.nested == 0 {
		if other := p.World.other(p); other != nil {
			options = append(options, other.turns(3)...)
		}
	}
	return options
}

// other returns the other process.
func (w *World) other(p *Process) *Process {
	if p == w.Former {
		return w.Leader
	}
	return w.Former
}

// turns returns the next Reconciles of a process.
func (p *Process) turns(n int) []option {
	var options []option
	for _, i := range p.queue.ready[:min(n, len(p.queue.ready))] {
		options = append(options, option{fmt.Sprintf("%s reconciles %s", p.Name, i), func() { p.take(i) }})
	}
	return options
}

// take makes a process reconcile an item. A former leader stops after a few.
func (p *Process) take(i Item) {
	p.reconcile(i)
	if p.World.Former != p {
		return
	}
	if p.left--; p.left <= 0 {
		p.World.Former = nil
	}
}

// read is called with the result of a read.
func (p *Process) read(call apimodel.Call, obj *apimodel.Object) {
	if p.Item != nil {
		p.World.observer.Read(p, call, obj)
	}
}

// writes carries out a write of a process, or makes it go wrong.
func (p *Process) writes(call apimodel.Call, write func() error) error {
	if p.dead {
		p.crash()
	}
	if err := p.interrupt(call); err != nil {
		return err
	}
	if p.isRefused(call) {
		return apierrors.NewInternalError(errors.New("failed calling webhook"))
	}
	p.World.changeRestless(call)
	befalls := p.mishapAt(call)
	carriedOut, answer := befalls == "" || befalls.CarriedOut(), answerTo(call, befalls)
	if carriedOut {
		answer = p.carryOut(call, write, answer)
	}
	if befalls.Crashes() {
		p.World.say("      %s: %s %s", p.Name, befalls, call)
		p.crash()
	}
	if answer != nil && !carriedOut {
		p.World.say("      %s: %v", call, answer)
	}
	return answer
}

// mishapAt picks what goes wrong with a write; empty if nothing does.
func (p *Process) mishapAt(call apimodel.Call) (picked mishap.Mishap) {
	p.World.pick(schedule.AtWrite, func() []option {
		if !p.World.Spec.Has(worlds.Faults) {
			return nil
		}
		var options []option
		for _, one := range mishap.OfWrites() {
			options = append(options, option{fmt.Sprintf("%s: %s %s", p.Name, one, call), func() { picked = one }})
		}
		return options
	})
	return picked
}

// answerTo returns the answer to a write to which something happens; nil if the API server answers.
func answerTo(call apimodel.Call, befalls mishap.Mishap) error {
	switch befalls {
	case mishap.AnswerLost, mishap.Lost:
		return errNoAnswer
	case mishap.Conflict:
		return conflict(call)
	case mishap.Refused:
		return apierrors.NewForbidden(schema.GroupResource{Resource: call.Kind.Kind}, call.Key.Name, errors.New("denied by a webhook"))
	default:
		return nil
	}
}

// carryOut makes a write that is not lost, and returns the answer that the process gets: the API server's, or an error if the answer is
// lost.
func (p *Process) carryOut(call apimodel.Call, write func() error, answer error) error {
	if err := p.commit(write); err != nil {
		p.World.say("      %s: %v", call, err)
		return err
	}
	p.World.say("      %s", call)
	if answer == nil {
		p.World.observer.Written(p, call)
	}
	return answer
}

// commit makes a write in the name of this process.
func (p *Process) commit(write func() error) error {
	defer p.World.writesAs(p)()
	return write()
}

func conflict(call apimodel.Call) error {
	return apierrors.NewConflict(schema.GroupResource{Group: call.Kind.Group, Resource: call.Kind.Kind}, call.Key.Name, errors.New("the object has been modified"))
}

// isRefused reports whether a webhook rejects a write. On a stubborn machine, it allows verdicts.
func (p *Process) isRefused(call apimodel.Call) bool {
	if call.Kind != kinds.Machine {
		return false
	}
	stubborn := p.World.Spec.Stubborn > 0 && call.Key.Name == fmt.Sprintf("m%d", p.World.Spec.Stubborn) && !p.World.cooperating
	return p.World.refused[call.Key.Name] || (stubborn && p.Item.Controller != machinehealth.ControllerName)
}
