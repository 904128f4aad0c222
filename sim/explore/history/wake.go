package history

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// wake queues everything that a change concerns, as the watches of the controllers would.
func (p *Process) wake(change apimodel.Change) {
	name := change.Key.Name
	switch change.Kind {
	case kinds.Machine:
		p.wakeByMachine(change)
	case kinds.Node:
		p.wakeHealth(func(machine *clusterv1.Machine) bool { return machine.Status.NodeRef.Name == name })
	case kinds.Record:
		if metadataChanged(change) {
			p.queue.add(Item{remediation.ControllerName, name})
		}
		if standingChanged(apimodel.As[*v1alpha1.MachineRemediation](change.Before), apimodel.As[*v1alpha1.MachineRemediation](change.After)) {
			p.wakeChecks()
		}
	case kinds.Plan, kinds.Template:
		p.wakeChecks()
	case kinds.HealthCheck, kinds.Cluster:
		if !metadataChanged(change) {
			return
		}
		p.wakeHealth(func(*clusterv1.Machine) bool { return true })
		p.wakeChecks()
		p.wakeRecords(func(*v1alpha1.MachineRemediation) bool { return true })
	case kinds.Request, kinds.Reboot:
		p.wakeRecords(func(r *v1alpha1.MachineRemediation) bool {
			return r.Spec.MachineRef.Name == name || strings.HasPrefix(name, r.Name)
		})
	}
}

func (p *Process) wakeHealth(of func(*clusterv1.Machine) bool) {
	for _, machine := range Every[*clusterv1.Machine](p.World, kinds.Machine) {
		if of(machine) {
			p.queue.add(Item{machinehealth.ControllerName, machine.Name})
		}
	}
}

func metadataChanged(change apimodel.Change) bool {
	return change.Before == nil || change.After == nil || mhcspec.ChangedOutsideStatus(change.Before.Typed(), change.After.Typed())
}

func (p *Process) wakeByMachine(change apimodel.Change) {
	name := change.Key.Name
	before, after := apimodel.As[*clusterv1.Machine](change.Before), apimodel.As[*clusterv1.Machine](change.After)
	identity := metadataChanged(change) || !equality.Semantic.DeepEqual(before.OwnerReferences, after.OwnerReferences)
	was, is, markWas, markIs := [3]string{}, [3]string{}, [3]string{}, [3]string{}
	if !identity {
		was, is = Said(before, verdict.ConditionType), Said(after, verdict.ConditionType)
		markWas, markIs = Said(before, clusterv1.MachineOwnerRemediatedCondition), Said(after, clusterv1.MachineOwnerRemediatedCondition)
	}
	if identity || judgedAnew(before, after) {
		p.queue.add(Item{machinehealth.ControllerName, name})
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
	was, is := Said(before, verdict.ConditionType), Said(after, verdict.ConditionType)
	return before.Status.NodeRef != after.Status.NodeRef || before.Status.Phase != after.Status.Phase ||
		(was[0] == "True") != (is[0] == "True") || len(before.Status.Conditions) > len(after.Status.Conditions)
}

// standing is the part of a record that an admission can depend on.
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

func (p *Process) wakeChecks() {
	for _, mhc := range Every[*clusterv1.MachineHealthCheck](p.World, kinds.HealthCheck) {
		p.queue.add(Item{machinehealthcheck.ControllerName, mhc.Name})
	}
}

// wakeRecords queues records that have not ended.
func (p *Process) wakeRecords(which func(*v1alpha1.MachineRemediation) bool) {
	for _, r := range Every[*v1alpha1.MachineRemediation](p.World, kinds.Record) {
		if which(r) && r.Status.CompletionTime == nil {
			p.queue.add(Item{remediation.ControllerName, r.Name})
		}
	}
}
