package explore

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/remediation"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
)

func sortItems(items []item, at map[item]time.Time) {
	slices.SortFunc(items, func(a, b item) int {
		if order := at[a].Compare(at[b]); order != 0 {
			return order
		}
		return strings.Compare(a.String(), b.String())
	})
}

// wake has all look again whom a change concerns, as the watches of the controllers would.
func (p *process) wake(change apimodel.Change) {
	name := change.Key.Name
	switch change.Kind {
	case machineKind:
		p.wakeByMachine(change)
	case nodeKind:
		p.wakeHealth(func(machine *clusterv1.Machine) bool { return machine.Status.NodeRef.Name == name })
	case recordKind:
		if metadataChanged(change) {
			p.queue.add(item{remediation.ControllerName, name})
		}
		if standingChanged(as[*v1alpha1.MachineRemediation](change.Before), as[*v1alpha1.MachineRemediation](change.After)) {
			p.wakeChecks()
		}
	case planKind, templateKind:
		p.wakeChecks()
	case healthCheckKind, clusterKind:
		if !metadataChanged(change) {
			return
		}
		p.wakeHealth(func(*clusterv1.Machine) bool { return true })
		p.wakeChecks()
		p.wakeRecords(func(*v1alpha1.MachineRemediation) bool { return true })
	case requestKind, rebootKind:
		p.wakeRecords(func(r *v1alpha1.MachineRemediation) bool {
			return r.Spec.MachineRef.Name == name || strings.HasPrefix(name, r.Name)
		})
	}
}

func (p *process) wakeHealth(of func(*clusterv1.Machine) bool) {
	for _, machine := range every[*clusterv1.Machine](p.w, machineKind) {
		if of(machine) {
			p.queue.add(item{machinehealth.ControllerName, machine.Name})
		}
	}
}

func metadataChanged(change apimodel.Change) bool {
	return change.Before == nil || change.After == nil || targets.MetadataChanged(change.Before.Typed(), change.After.Typed())
}

func (p *process) wakeByMachine(change apimodel.Change) {
	name := change.Key.Name
	before, after := as[*clusterv1.Machine](change.Before), as[*clusterv1.Machine](change.After)
	identity := metadataChanged(change) || !equality.Semantic.DeepEqual(before.OwnerReferences, after.OwnerReferences)
	was, is, markWas, markIs := [3]string{}, [3]string{}, [3]string{}, [3]string{}
	if !identity {
		was, is = said(before, machinehealth.ConditionType), said(after, machinehealth.ConditionType)
		markWas, markIs = said(before, clusterv1.MachineOwnerRemediatedCondition), said(after, clusterv1.MachineOwnerRemediatedCondition)
	}
	if identity || judgedAnew(before, after) {
		p.queue.add(item{machinehealth.ControllerName, name})
	}
	if identity || was[0] != is[0] || was[1] != is[1] {
		p.wakeChecks()
	}
	if identity || was[0] != is[0] || markWas != markIs {
		p.wakeRecords(func(r *v1alpha1.MachineRemediation) bool {
			return r.Spec.MachineRef.Name == name || r.Spec.TemplateRef != nil
		})
	}
}

// judgedAnew reports whether a Machine may deserve another verdict.
func judgedAnew(before, after *clusterv1.Machine) bool {
	was, is := said(before, machinehealth.ConditionType), said(after, machinehealth.ConditionType)
	return before.Status.NodeRef != after.Status.NodeRef || before.Status.Phase != after.Status.Phase ||
		(was[0] == "True") != (is[0] == "True") || len(before.Status.Conditions) > len(after.Status.Conditions)
}

// standing is what of a record an admission can depend on.
type standing struct {
	ended, hasSlot, wantsSlot, deleting bool
	wantsAt                             time.Time
	fruitless                           int
}

func standingChanged(before, after *v1alpha1.MachineRemediation) bool {
	return before == nil || after == nil || standingOf(before) != standingOf(after)
}

func standingOf(r *v1alpha1.MachineRemediation) standing {
	s := standing{ended: ladder.Ended(r), hasSlot: ladder.HasSlot(r), deleting: !r.DeletionTimestamp.IsZero(), fruitless: ladder.Fruitless(r)}
	s.wantsSlot, s.wantsAt = ladder.WantsSlot(r, time.Time{})
	return s
}

// said is what a condition of a Machine says.
func said(machine *clusterv1.Machine, conditionType string) [3]string {
	if c := meta.FindStatusCondition(machine.Status.Conditions, conditionType); c != nil {
		return [3]string{string(c.Status), c.Reason, c.Message}
	}
	return [3]string{}
}

func (p *process) wakeChecks() {
	for _, mhc := range every[*clusterv1.MachineHealthCheck](p.w, healthCheckKind) {
		p.queue.add(item{machinehealthcheck.ControllerName, mhc.Name})
	}
}

// wakeRecords wakes up records that have not ended.
func (p *process) wakeRecords(which func(*v1alpha1.MachineRemediation) bool) {
	for _, r := range every[*v1alpha1.MachineRemediation](p.w, recordKind) {
		if which(r) && r.Status.CompletionTime == nil {
			p.queue.add(item{remediation.ControllerName, r.Name})
		}
	}
}
