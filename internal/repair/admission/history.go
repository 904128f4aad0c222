package admission

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/memory"
)

// history finds the records that memory needs for one machine without scanning all of the cluster: in a storm there are thousands
// of both.
type history struct {
	byMachine, byHost map[types.UID][]*v1alpha1.MachineRemediation
	// chained are those of machines that were replaced by another that fell sick.
	chained []*v1alpha1.MachineRemediation
}

func (f Facts) history() history {
	h := history{}
	if f.Template.Plan == nil {
		return h
	}
	h.byMachine, h.byHost = map[types.UID][]*v1alpha1.MachineRemediation{}, map[types.UID][]*v1alpha1.MachineRemediation{}
	for _, r := range f.History {
		machine := r.Spec.MachineRef.UID
		h.byMachine[machine] = append(h.byMachine[machine], r)
		if host := r.Spec.HostRef; host != nil {
			h.byHost[host.UID] = append(h.byHost[host.UID], r)
		}
	}
	for _, r := range f.History {
		if r.Status.ReplacementRef != nil {
			h.chained = append(h.chained, h.byMachine[r.Spec.MachineRef.UID]...)
		}
	}
	return h
}

// of returns the records that can matter for a new one, and the new one's incident.
func (h history) of(one Admission) ([]*v1alpha1.MachineRemediation, memory.Incident) {
	incident := memory.Incident{MachineName: one.Machine.Name, MachineUID: one.Machine.UID, Reason: one.verdict.Reason}
	records := slices.Concat(h.byMachine[one.Machine.UID], h.chained)
	if one.Host != nil {
		incident.HostUID = one.Host.UID
		records = append(records, h.byHost[one.Host.UID]...)
	}
	return records, incident
}

// Relapsed reports whether a new record is about a machine or a host whose repair for the same reason ended recently. It is for
// people: package memory decides where the plan begins.
func Relapsed(f Facts, fresh *v1alpha1.MachineRemediation) bool {
	window := v1alpha1.DefaultRelapseWindow
	if plan := f.Template.Plan; plan != nil {
		window = plan.Spec.Template.Spec.RelapseWindow()
	}
	incident := memory.Incident{MachineUID: fresh.Spec.MachineRef.UID, Reason: fresh.Spec.Finding.Reason}
	if fresh.Spec.HostRef != nil {
		incident.HostUID = fresh.Spec.HostRef.UID
	}
	return memory.Relapsed(f.History, incident, window, fresh.CreationTimestamp.Time)
}
