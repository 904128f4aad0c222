package simulate

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// act carries out an act, and schedules its effect.
func (s *Scene) act(r *record, d ladder.Decision) {
	operation := d.Attempt.OperationID
	if d.Act.Begins() && r.machine != nil {
		r.machine.acted = true
	}
	switch d.Act {
	case ladder.MarkForOwner:
		s.marked(r)
	case ladder.DeleteMachine:
		s.deletes(r)
	case ladder.CreateReboot:
		r.base.Request = request("RebootRemediation", r, d.Attempt)
		r.base.Request.BeganAt = s.now
		s.afterRepair(func() { s.requested(r, operation, s.options.helps()) })
	case ladder.CreateRequest:
		r.base.Request = request(strings.TrimSuffix(d.Step.TemplateRef.Kind, clusterv1.TemplateSuffix), r, d.Attempt)
		repairs := d.Step.DoneWhen != v1alpha1.DoneWhenRequestSucceeded
		s.afterRepair(func() { s.requested(r, operation, repairs && s.options.helps()) })
	default:
		r.undo(d.Act)
	}
}

// undo reverts an act, or closes the record.
func (r *record) undo(what ladder.Act) {
	switch what {
	case ladder.WithdrawMark:
		r.base.Machine.Mark = ladder.Mark{}
	case ladder.WithdrawRequest:
		r.base.Request = nil
	case ladder.Close:
		r.obj.Finalizers = slices.DeleteFunc(slices.Clone(r.obj.Finalizers), func(f string) bool { return f == v1alpha1.RemediationFinalizer })
		r.obj.Labels = withoutOpen(r.obj.Labels)
	default:
		// All other acts begin something.
	}
}

func withoutOpen(labels map[string]string) map[string]string {
	left := map[string]string{}
	for key, value := range labels {
		if key != v1alpha1.OpenLabel {
			left[key] = value
		}
	}
	return left
}

func request(kind string, r *record, attempt v1alpha1.RemediationAttempt) *ladder.Request {
	return &ladder.Request{OperationID: attempt.OperationID, Ref: v1alpha1.RemediationObjectReference{
		Kind: kind, Name: r.obj.Name, UID: types.UID(attempt.OperationID),
	}}
}

func (s *Scene) afterRepair(do func()) { s.agenda.add(s.now.Add(s.options.RepairTakes), do) }

// unanswered are the states of marks that an owner has not acted on yet.
var unanswered = []ladder.MarkState{ladder.MarkWaiting, ladder.MarkDeferred}

// underWay continues what a record asked for before the simulation, as if it were answered now.
func (s *Scene) underWay(r *record) {
	attempt, m := ladder.AtWork(r.obj), r.base.Machine
	switch {
	case m.Gone:
	case m.Deleting():
		s.afterRepair(func() { s.goes(r) })
	case attempt == nil || attempt.ObjectRef == nil:
	case m.Mark.State == ladder.MarkAnswered:
		s.deletes(r)
	case slices.Contains(unanswered, m.Mark.State):
		s.marked(r)
	case r.base.Request != nil && r.base.Request.OperationID == attempt.OperationID:
		s.afterRepair(func() { s.requested(r, attempt.OperationID, r.repairs(attempt) && s.options.helps()) })
	}
}

// repairs reports whether the request of an attempt should make the machine healthy.
func (r *record) repairs(attempt *v1alpha1.RemediationAttempt) bool {
	step, _ := ladder.StepNamed(r.obj, attempt.Step)
	return step.DoneWhen != v1alpha1.DoneWhenRequestSucceeded
}

// marked lets the owner of a machine answer its mark, which may be an old one. Owners act only if the machine is also sick.
func (s *Scene) marked(r *record) {
	mark := &r.base.Machine.Mark
	*mark = ladder.Mark{State: ladder.MarkWaiting, Ours: true}
	switch {
	case r.machine == nil || !r.machine.sick() || s.options.World.Owners == OwnersSilent:
	case s.options.World.Owners == OwnersRefuse:
		mark.State = ladder.MarkRefused
	default:
		mark.State = ladder.MarkAnswered
		s.deletes(r)
	}
}

// goesOn continues what was asked for a machine without a record. The new record takes it over; other controllers carry it out.
func (s *Scene) goesOn(r *record) {
	m, operation := r.machine, ladder.OperationID(r.obj, 1)
	switch at := r.base.Machine; {
	case m.stray == "":
		return
	case at.Mark.State == ladder.MarkWaiting:
		s.marked(r)
	case !at.Mark.Stands():
		r.base.Request = request(m.stray, r, v1alpha1.RemediationAttempt{OperationID: operation})
		s.afterRepair(func() { s.requested(r, operation, s.options.helps()) })
	}
	m.stray = ""
}

// deletes deletes a machine, on behalf of its owner if it has one.
func (s *Scene) deletes(r *record) {
	if r.machine == nil {
		return
	}
	r.base.Machine.DeletingSince = s.now
	at := s.time()
	gate := r.check.gate
	r.machine.change(s, func(obj *clusterv1.Machine) { obj.DeletionTimestamp = &at })
	if r.machine.sick() && ladder.InFlight(r.obj) {
		// For the gate and the slots, it counts as before.
		r.check.gate = gate
	}
	s.lookAt(r.machine)
	s.afterRepair(func() { s.goes(r) })
}

// goes removes a machine. If it has an owner, that creates a successor.
func (s *Scene) goes(r *record) {
	m := r.machine
	if m == nil || m.gone {
		return
	}
	owner := r.base.Machine.Owner
	r.base.Machine = ladder.Machine{Gone: true, Owner: owner}
	m.remove(s)
	r.touch(s)
	if owner == nil {
		s.moment.gone = append(s.moment.gone, departure{m, nil})
		return
	}
	other := m.replace(s)
	m.successor = other
	r.succeededBy(other)
	s.moment.gone = append(s.moment.gone, departure{m, other})
}

// requested completes a request, unless it was withdrawn.
func (s *Scene) requested(r *record, operation string, helps bool) {
	if r.base.Request == nil || r.base.Request.OperationID != operation {
		return
	}
	ended := *r.base.Request
	ended.Succeeded = "True"
	if s.options.World.Repairs == RepairsFail {
		ended.Succeeded = "False"
	}
	r.base.Request = &ended
	s.done(r, helps)
}

func (s *Scene) done(r *record, helps bool) {
	r.touch(s)
	if helps && r.machine != nil && !r.machine.gone {
		r.machine.cure(s)
	}
}
