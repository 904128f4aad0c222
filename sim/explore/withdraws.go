package explore

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remediation"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
)

// withdraws judges that something was taken back: the record has to say by then that the attempt is over.
func (m *monitor) withdraws(p *process, machine *clusterv1.Machine, what string) {
	what = fmt.Sprintf("%s withdraws %s of %s", p.name, what, machine.Name)
	r := as[*v1alpha1.MachineRemediation](m.w.server.Latest(recordKind, inNamespace(p.turn.item.name)))
	switch {
	case r == nil:
		m.w.fail(ruleIntent, "%s, and has no record", what)
	case r.Spec.MachineRef.UID != machine.UID:
		m.w.fail(ruleBound, "%s, which is not the machine of record %s", what, r.Name)
	case ladder.AtWork(r) != nil && m.w.former == nil:
		m.w.fail(ruleIntent, "%s, and record %s does not say that the attempt is over", what, r.Name)
	}
}

// requestChanged judges requests that are made and taken back.
func (m *monitor) requestChanged(change apimodel.Change) {
	p := m.w.writer
	if p == nil {
		if change.After == nil {
			m.lost[change.Before.Typed().GetAnnotations()[v1alpha1.OperationAnnotation]] = true
		}
		return
	}
	m.writtenBy(remediation.ControllerName, change)
	obj := change.After
	if obj == nil {
		obj = change.Before
	}
	machine := m.machineOf(p, obj.Typed())
	switch {
	case machine == nil:
	case change.Before == nil:
		m.acts(p, machine, "makes a request for")
	case change.After == nil:
		m.withdraws(p, machine, "the request")
	}
}

// machineOf is the machine of the record that a process looks at; nil if it is gone, and the request is of that very machine. The record
// may be gone by now: a person who deletes it is not kept waiting for a former leader, which has just read it.
func (m *monitor) machineOf(p *process, request client.Object) *clusterv1.Machine {
	r := as[*v1alpha1.MachineRemediation](m.w.server.Latest(recordKind, inNamespace(p.turn.item.name)))
	if r == nil && p == m.w.former {
		r = looked[*v1alpha1.MachineRemediation](p.turn, recordKind, p.turn.item.name)
	}
	if r == nil {
		m.w.fail(ruleIntent, "%s has made or deleted %s without a record", p.name, request.GetName())
		return nil
	}
	machine := latest[*clusterv1.Machine](m.w, machineKind, r.Spec.MachineRef.Name)
	if machine != nil && machine.UID != r.Spec.MachineRef.UID && ownedBy(request, r.Spec.MachineRef.UID, r.UID) {
		return nil
	}
	return machine
}

func ownedBy(obj client.Object, uids ...types.UID) bool {
	return slices.ContainsFunc(obj.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return slices.Contains(uids, owner.UID) })
}
