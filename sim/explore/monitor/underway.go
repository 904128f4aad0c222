package monitor

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// underWay returns what Sickbay has asked for about a machine that is not over.
func (m *Monitor) underWay(machine *clusterv1.Machine) []string {
	if machine == nil {
		return nil
	}
	var all []string
	if markStands(machine) {
		all = append(all, "a mark")
	}
	if m.deleted[machine.UID] {
		all = append(all, "a deletion")
	}
	for _, request := range history.Every[*unstructured.Unstructured](m.w, kinds.Request) {
		if m.requested(request, machine) {
			all = append(all, "request "+request.GetName())
		}
	}
	for _, cycle := range m.reboots() {
		// A finished power cycle keeps nothing off.
		over := meta.FindStatusCondition(cycle.Status.Conditions, v1alpha1.ConditionSucceeded)
		if m.requested(cycle, machine) && (over == nil || over.Status == metav1.ConditionUnknown) {
			all = append(all, "RebootRemediation "+cycle.Name)
		}
	}
	return all
}

// requested reports whether a record created an object for a machine. Evidence does not count.
func (m *Monitor) requested(request client.Object, machine *clusterv1.Machine) bool {
	if asks, ok := request.(*v1alpha1.RebootRemediation); ok && !reboot.IsCycle(asks) {
		return false
	}
	if !request.GetDeletionTimestamp().IsZero() || m.unseen(request) {
		return false
	}
	for _, owner := range request.GetOwnerReferences() {
		if owner.UID == machine.UID {
			return true
		}
		r := apimodel.As[*v1alpha1.MachineRemediation](m.w.Server.Latest(kinds.Record, kinds.InNamespace(owner.Name)))
		if r != nil && r.UID == owner.UID && r.Spec.MachineRef.UID == machine.UID && !evidence(r, request) {
			return true
		}
	}
	return false
}

// unseen reports whether nobody can know of a request: its record could not store it, because of a crash or a conflict just after it was made, and
// it could not be read from then on, or until the record had ended.
func (m *Monitor) unseen(request client.Object) bool {
	operation := request.GetAnnotations()[v1alpha1.OperationAnnotation]
	records := m.records()
	if slices.ContainsFunc(records, func(r *v1alpha1.MachineRemediation) bool {
		return slices.ContainsFunc(r.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool { return a.ObjectRef != nil && a.OperationID == operation })
	}) {
		return false
	}
	if m.w.Forbidden() {
		m.unread[operation] = true
	}
	ended := !slices.ContainsFunc(records, func(r *v1alpha1.MachineRemediation) bool {
		return r.Status.CompletionTime == nil && ladder.IsOperationOf(r.UID, operation)
	})
	return m.w.Forbidden() || (m.unread[operation] && ended)
}

// endsUnread notes the requests of a record that ends, if nobody can read them.
func (m *Monitor) endsUnread(r *v1alpha1.MachineRemediation) {
	if !m.w.Forbidden() {
		return
	}
	for _, request := range history.Every[*unstructured.Unstructured](m.w, kinds.Request) {
		if operation := request.GetAnnotations()[v1alpha1.OperationAnnotation]; ladder.IsOperationOf(r.UID, operation) {
			m.unread[operation] = true
		}
	}
}

func evidence(r *v1alpha1.MachineRemediation, request client.Object) bool {
	for _, attempt := range r.Status.Attempts {
		if attempt.OperationID != request.GetAnnotations()[v1alpha1.OperationAnnotation] {
			continue
		}
		for _, step := range r.Spec.Steps {
			if step.Name == attempt.Step {
				return step.DoneWhen == v1alpha1.DoneWhenRequestSucceeded
			}
		}
	}
	return stepOf(r).DoneWhen == v1alpha1.DoneWhenRequestSucceeded
}
