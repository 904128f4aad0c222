package simulate

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/successor"
)

// act carries out an act, and schedules its effect.
func (s *Scene) act(r *record, d ladder.Decision) {
	operation := d.Attempt.OperationID
	if d.Act.Begins() && r.machine != nil {
		r.machine.acted = true
	}
	switch d.Act {
	case ladder.MarkForOwner:
		s.mark(r.machine)
	case ladder.DeleteMachine:
		s.deletes(r.machine)
	case ladder.CreateReboot:
		r.base.Request = request("RebootRemediation", r, d.Attempt)
		r.base.Request.BeganAt = s.now
		s.afterRepair(func() { s.requested(r, operation, s.options.helps()) })
	case ladder.CreateRequest:
		r.base.Request = request(strings.TrimSuffix(d.Step.TemplateRef.Kind, clusterv1.TemplateSuffix), r, d.Attempt)
		s.afterRepair(func() { s.requested(r, operation, r.repairs(&d.Attempt) && s.options.helps()) })
	default:
		s.undo(r, d.Act)
	}
}

// undo reverts an act, or closes the record.
func (s *Scene) undo(r *record, what ladder.Act) {
	switch what {
	case ladder.WithdrawMark:
		s.unmark(r.machine)
	case ladder.WithdrawRequest:
		r.base.Request = nil
	case ladder.Close:
		r.obj.Finalizers = slices.DeleteFunc(slices.Clone(r.obj.Finalizers), func(f string) bool { return f == v1alpha1.RemediationFinalizer })
		r.obj.Labels = maps.Clone(r.obj.Labels)
		delete(r.obj.Labels, v1alpha1.OpenLabel)
	default:
		// All other acts begin something.
	}
}

func request(kind string, r *record, attempt v1alpha1.RemediationAttempt) *ladder.Request {
	return &ladder.Request{OperationID: attempt.OperationID, Ref: v1alpha1.RemediationObjectReference{
		Kind: kind, Name: r.obj.Name, UID: types.UID(attempt.OperationID),
	}}
}

func (s *Scene) afterRepair(do func()) { s.agenda.add(s.now.Add(s.options.RepairTakes), do) }

// underWay continues what a record asked for before the simulation, as if it were answered now.
func (s *Scene) underWay(r *record) {
	switch attempt := ladder.AtWork(r.obj); {
	case r.awaitsSuccessor(attempt):
		s.afterRepair(func() { s.appears(r, recordstore.MakerOf(attempt.ObjectRef)) })
	case r.machine != nil && !r.machine.obj.DeletionTimestamp.IsZero():
		if !r.machine.hangs {
			s.afterRepair(func() { s.goes(r.machine) })
		}
	case attempt == nil || r.base.Request == nil || r.base.Request.OperationID != attempt.OperationID:
	default:
		s.afterRepair(func() { s.requested(r, attempt.OperationID, r.repairs(attempt) && s.options.helps()) })
	}
}

// awaitsSuccessor reports whether a machine that was gone before the simulation may still get a successor.
func (r *record) awaitsSuccessor(attempt *v1alpha1.RemediationAttempt) bool {
	return attempt != nil && attempt.ObjectRef != nil && r.machine == nil && r.base.Machine.Gone && r.successor == nil && r.base.NoSuccessor == "" && successor.Awaited(r.obj)
}

// appears has its maker make the successor of a machine that was gone before the simulation, like one of its others.
func (s *Scene) appears(r *record, maker recordstore.Maker) {
	i := slices.IndexFunc(s.machines, func(m *machine) bool { return maker.Made(m.obj) })
	if i < 0 || ladder.Ended(r.obj) {
		return
	}
	model := *s.machines[i]
	obj := *model.obj
	obj.Name, obj.UID, model.obj, model.generation = r.obj.Spec.MachineRef.Name, r.obj.Spec.MachineRef.UID, &obj, 0
	r.succeededBy(model.replace(s))
	r.touch(s)
}

// repairs reports whether the request of an attempt should make the machine healthy.
func (r *record) repairs(attempt *v1alpha1.RemediationAttempt) bool {
	step, _ := ladder.StepNamed(r.obj, attempt.Step)
	return step.DoneWhen != v1alpha1.DoneWhenRequestSucceeded
}

// goesOn continues a request for a machine without a record. The new record takes it over; another controller carries it out.
func (s *Scene) goesOn(r *record) {
	m, operation := r.machine, ladder.OperationID(r.obj, 1)
	if m.stray != "" && !onmachine.MarkOf(m.obj).Stands() {
		r.base.Request = request(m.stray, r, v1alpha1.RemediationAttempt{OperationID: operation})
		s.afterRepair(func() { s.requested(r, operation, s.options.helps()) })
	}
	m.stray = ""
}

// deletes deletes a machine, on behalf of its owner if it has one.
func (s *Scene) deletes(m *machine) {
	at, gate := s.time(), m.check.gate
	m.change(s, func(obj *clusterv1.Machine) { obj.DeletionTimestamp = &at })
	if m.sick() && m.record != nil && ladder.InFlight(m.record.obj) {
		// For the gate and the slots, it counts as before.
		m.check.gate = gate
	}
	s.lookAt(m)
	s.afterRepair(func() { s.goes(m) })
}

// goes removes a machine. If it has an owner, that creates a successor.
func (s *Scene) goes(m *machine) {
	if m.gone {
		return
	}
	m.remove(s)
	left := departure{machine: m}
	if metav1.GetControllerOfNoCopy(m.obj) != nil {
		left.successor = m.replace(s)
	}
	if r := m.record; r != nil {
		r.touch(s)
		if left.successor != nil {
			r.succeededBy(left.successor)
		}
	}
	s.moment.gone = append(s.moment.gone, left)
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
	r.touch(s)
	if helps && r.machine != nil && !r.machine.gone {
		r.machine.cure(s)
	}
}
