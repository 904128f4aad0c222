package explore

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
)

var errNoAnswer = errors.New("http2: client connection lost")

// reads is asked before each read of a process.
func (p *process) reads(call apimodel.Call) error {
	if p.dead {
		p.crash()
	}
	if !call.Live {
		p.moveCache(call.Kind)
		return nil
	}
	return p.interrupt(call)
}

// moveCache has a cache that lags too far behind move on, and may have it move on at this very moment.
func (p *process) moveCache(kind schema.GroupVersionKind) {
	behind := p.view.Behind(kind)
	if behind > most {
		p.sync(kind, most)
		behind = most
	}
	if behind == 0 {
		return
	}
	p.w.pick(atCache, func() []option {
		return []option{{fmt.Sprintf("the cache of %s of %s moves on", kind.Kind, p.name), func() { p.sync(kind, 0) }}}
	})
}

// interrupt lets others do something just before a call, or has it fail.
func (p *process) interrupt(call apimodel.Call) error {
	var failed error
	p.w.pick(atRead, func() []option {
		var options []option
		for _, one := range p.others(call) {
			options = append(options, option{"before " + p.name + " " + call.String() + ": " + one.name, func() {
				p.w.say("      before %s: %s", call, one.name)
				p.w.between(one.do)
			}})
		}
		if p.w.spec.has(Faults) && call.Live {
			options = append(options, option{p.name + " " + call.String() + " fails", func() { failed = errNoAnswer }})
		}
		return options
	})
	if failed != nil {
		p.w.say("      %s: %v", call, failed)
	}
	return failed
}

// between has something happen in the middle of a call of a process.
func (w *world) between(do func()) {
	writer := w.writer
	w.writer = nil
	w.nested++
	defer func() { w.writer, w.nested = writer, w.nested-1 }()
	do()
}

// others are what can happen in the middle of a call of this process.
func (p *process) others(call apimodel.Call) []option {
	about := aboutCall(call.Kind)
	options := p.w.mischief(about)
	if about(machineKind, nodeKind, requestKind, rebootKind) {
		options = append(options, p.w.work()...)
	}
	if p.w.nested == 0 {
		if other := p.w.other(p); other != nil {
			options = append(options, other.turns(3)...)
		}
	}
	return options
}

// other is the process beside this one.
func (w *world) other(p *process) *process {
	if p == w.former {
		return w.leader
	}
	return w.former
}

// turns are the next Reconciles of a process.
func (p *process) turns(n int) []option {
	var options []option
	for _, i := range p.queue.ready[:min(n, len(p.queue.ready))] {
		options = append(options, option{fmt.Sprintf("%s reconciles %s", p.name, i), func() { p.take(i) }})
	}
	return options
}

// take has a process reconcile an item. A former leader does not go on for ever.
func (p *process) take(i item) {
	p.reconcile(i)
	if p.w.former != p {
		return
	}
	if p.left--; p.left <= 0 {
		p.w.former = nil
	}
}

// read is told what a live read has returned.
func (p *process) read(call apimodel.Call, obj *apimodel.Object) {
	if call.Live && p.turn != nil {
		p.turn.saw(p.w, call, obj)
	}
}

// writes carries out a write of a process, or has it go wrong.
func (p *process) writes(call apimodel.Call, write func() error) error {
	if p.dead {
		p.crash()
	}
	if err := p.interrupt(call); err != nil {
		return err
	}
	if p.isRefused(call) {
		return apierrors.NewInternalError(errors.New("failed calling webhook"))
	}
	p.w.stir(call)
	carriedOut, answer := true, error(nil)
	crashes := ""
	p.w.pick(atWrite, func() []option {
		if !p.w.spec.has(Faults) {
			return nil
		}
		what := p.name + " " + call.String()
		return []option{
			{what + ": the answer is lost", func() { answer = errNoAnswer }},
			{what + ": it is lost", func() { carriedOut, answer = false, errNoAnswer }},
			{what + ": a conflict", func() { carriedOut, answer = false, conflict(call) }},
			{what + ": refused", func() {
				carriedOut, answer = false, apierrors.NewForbidden(schema.GroupResource{Resource: call.Kind.Kind}, call.Key.Name, errors.New("denied by a webhook"))
			}},
			{what + ": crash before", func() { carriedOut, crashes = false, "before" }},
			{what + ": crash after", func() { crashes = "after" }},
		}
	})
	if carriedOut {
		if err := p.commit(write); err != nil {
			p.w.say("      %s: %v", call, err)
			answer = err
		} else {
			p.w.say("      %s", call)
			p.answered(call, answer)
		}
	}
	if crashes != "" {
		p.w.say("      %s crashes %s %s", p.name, crashes, call)
		p.crash()
	}
	if answer != nil && !carriedOut {
		p.w.say("      %s: %v", call, answer)
	}
	return answer
}

// answered notes what the answer to a write on a Machine has shown. It is as good as a look.
func (p *process) answered(call apimodel.Call, lost error) {
	if lost == nil && call.Kind == machineKind && p.turn != nil {
		p.turn.all[lookAt{call.Kind, call.Key.Name}] = look{obj: p.w.server.Latest(call.Kind, call.Key), at: p.w.clock.now}
	}
}

// commit makes a write that others see is of this process.
func (p *process) commit(write func() error) error {
	before := p.w.writer
	p.w.writer = p
	defer func() { p.w.writer = before }()
	return write()
}

func conflict(call apimodel.Call) error {
	return apierrors.NewConflict(schema.GroupResource{Group: call.Kind.Group, Resource: call.Kind.Kind}, call.Key.Name, errors.New("the object has been modified"))
}

// isRefused reports whether a webhook refuses a write. On a stubborn machine it lets verdicts pass.
func (p *process) isRefused(call apimodel.Call) bool {
	if call.Kind != machineKind {
		return false
	}
	stubborn := p.w.spec.Stubborn > 0 && call.Key.Name == fmt.Sprintf("m%d", p.w.spec.Stubborn) && !p.w.goodwill
	return p.w.refused[call.Key.Name] || (stubborn && p.turn.item.controller != machinehealth.ControllerName)
}
