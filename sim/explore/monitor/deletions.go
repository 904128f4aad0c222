package monitor

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// deletes judges the deletion of a machine that somebody owns: its step must say so, and its owner, read just before, must make another one.
func (m *Monitor) deletes(p *history.Process, machine *clusterv1.Machine) {
	owner, t := metav1.GetControllerOfNoCopy(machine), m.turns[p]
	r := t.recordOf(machine)
	if owner == nil || r == nil {
		return
	}
	if step := stepOf(r); !step.Deletes() {
		m.w.Fail(rules.Deleted, "%s deletes %s, although step %s asks %s %s to", p.Name, machine.Name, step.Name, owner.Kind, owner.Name)
	}
	seen := t.looks[lookAt{schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind), owner.Name}].obj
	switch {
	case seen == nil:
		m.w.Fail(rules.Deleted, "%s deletes %s, and has not read %s %s just before", p.Name, machine.Name, owner.Kind, owner.Name)
	case mhcspec.HasAnnotation(seen.Typed(), clusterv1.PausedAnnotation):
		m.w.Fail(rules.Deleted, "%s deletes %s, although %s %s is paused", p.Name, machine.Name, owner.Kind, owner.Name)
	}
}
