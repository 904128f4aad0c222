package ahead

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
)

// admit notes who is admitted at this moment, and gives them their slots.
func (w *world) admit(gone outcome) {
	for _, one := range w.decision.Admit {
		if w.known[one.Machine.Name] {
			continue
		}
		w.known[one.Machine.Name] = true
		after := slices.DeleteFunc(slices.Clone(gone.after), func(name string) bool { return name == one.Machine.Name })
		w.admitted = append(w.admitted, Admitted{Admission: one, At: w.now, Step: w.decision.StepOf(one), After: after, Ended: gone.ended})
		w.grant(one)
	}
}

// grant gives a machine a record with a slot.
func (w *world) grant(one admission.Admission) {
	if one.Record == nil {
		made := recordstore.New(w.facts.Cluster, 1, admission.Spec(w.facts, w.decision, one, w.now))
		made.UID, made.CreationTimestamp = "ahead/"+one.Machine.UID, metav1.NewTime(w.now)
		maps.Copy(made.Annotations, pacing.Annotations(one.Machine))
		w.facts.Records, w.facts.History = append(slices.Clip(w.facts.Records), made), append(slices.Clip(w.facts.History), made)
		return
	}
	granted := *one.Record
	granted.Spec.Grant = one.Grant
	w.show(&granted)
	for _, r := range w.repairs {
		if r.facts.Record.UID == granted.UID {
			r.facts.Record, r.due = &granted, time.Time{}
		}
	}
}

// versions are the places of records in a list.
type versions map[types.UID]int

func versionsOf(all []*v1alpha1.MachineRemediation) versions {
	places := versions{}
	for i, r := range all {
		places[r.UID] = i
	}
	return places
}

// show shows admission a record as it is now.
func (w *world) show(record *v1alpha1.MachineRemediation) {
	if i, known := w.records[record.UID]; known {
		w.facts.Records[i] = record
	}
	if i, known := w.history[record.UID]; known {
		w.facts.History[i] = record
	}
}

// unmark takes the mark off a Machine.
func (w *world) unmark(uid types.UID) {
	i := slices.IndexFunc(w.facts.Targets, func(t admission.Target) bool { return t.Machine.UID == uid })
	if i < 0 {
		return
	}
	machine := *w.facts.Targets[i].Machine
	machine.Status.Conditions = slices.Clone(machine.Status.Conditions)
	meta.RemoveStatusCondition(&machine.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	w.facts.Targets[i].Machine = &machine
}
