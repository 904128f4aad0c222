package history

import (
	"cmp"
	"strings"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/api/equality"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// wake queues everything that a change concerns, as the watches of the controllers would.
func (p *Process) wake(change apimodel.Change) {
	p.wakePausers(change)
	name := change.Key.Name
	switch change.Kind {
	case kinds.Machine:
		p.wakeByMachine(change)
	case kinds.Node:
		p.wakeHealth(func(machine *clusterv1.Machine) bool { return machine.Status.NodeRef.Name == name })
	case kinds.Record:
		p.wakeByRecord(change)
	case kinds.Plan, kinds.Template:
		p.wakeChecks()
	case kinds.HealthCheck, kinds.Cluster:
		p.wakeByCheck(change)
	case kinds.Request:
		p.wakeRecordsOf(name)
	case kinds.Reboot:
		p.wakeByReboot(change)
	case kinds.Host:
		p.wakeByHost(change)
	}
}

func (p *Process) wakeByRecord(change apimodel.Change) {
	before, after := apimodel.As[*v1alpha1.MachineRemediation](change.Before), apimodel.As[*v1alpha1.MachineRemediation](change.After)
	if metadataChanged(change) {
		p.queue.add(Item{remediation.ControllerName, change.Key.Name})
	}
	if before == nil || after == nil || metadataChanged(change) || ladder.MayStand(before) != ladder.MayStand(after) || ladder.HasSlot(before) != ladder.HasSlot(after) {
		p.wakeBeside(change)
	}
	p.wakeAsked(change)
	if standingChanged(before, after) {
		p.wakeChecks()
	}
}

func (p *Process) wakeByCheck(change apimodel.Change) {
	if !metadataChanged(change) {
		if change.Kind == kinds.HealthCheck && machinehealth.RelevantCheckChange().Update(event.UpdateEvent{ObjectOld: change.Before.Typed(), ObjectNew: change.After.Typed()}) {
			p.wakeHealth(func(*clusterv1.Machine) bool { return true })
		}
		if p.World.Spec.Has(worlds.Second) && change.Kind == kinds.HealthCheck && abilityChanged(change) {
			p.wakeChecks()
			p.wakeRecords(func(*v1alpha1.MachineRemediation) bool { return true })
		}
		return
	}
	if change.Kind == kinds.Cluster {
		p.wakeAskers()
	}
	p.wakeHealth(func(*clusterv1.Machine) bool { return true })
	p.wakeChecks()
	p.wakeRecords(func(*v1alpha1.MachineRemediation) bool { return true })
}

// abilityChanged reports whether the status of a MachineHealthCheck says otherwise whether it may repair.
func abilityChanged(change apimodel.Change) bool {
	return admission.AbilityOf(apimodel.As[*clusterv1.MachineHealthCheck](change.Before)) != admission.AbilityOf(apimodel.As[*clusterv1.MachineHealthCheck](change.After))
}

// wakeRecordsOf queues the records that a request of that name may belong to.
func (p *Process) wakeRecordsOf(name string) {
	p.wakeRecords(func(r *v1alpha1.MachineRemediation) bool {
		return r.Spec.MachineRef.Name == name || strings.HasPrefix(name, r.Name)
	})
}

func (p *Process) wakeByHost(change apimodel.Change) {
	name := change.Key.Name
	p.wakeReboots(func(r *v1alpha1.RebootRemediation) bool { return r.Status.Host == nil || r.Status.Host.Name == name })
	if change.Before == nil || change.After == nil || keptBy(change.Before) != keptBy(change.After) {
		p.wakeRecordsOf(MachineOn(name))
	}
}

func keptBy(host *apimodel.Object) string {
	return cycle.KeptBy(apimodel.As[*metal3v1.BareMetalHost](host), false)
}

// wakeReboots queues power cycles.
func (p *Process) wakeReboots(which func(*v1alpha1.RebootRemediation) bool) {
	for _, r := range Every[*v1alpha1.RebootRemediation](p.World, kinds.Reboot) {
		if reboot.IsCycle(r) && which(r) {
			p.queue.add(Item{reboot.ControllerName, r.Name})
		}
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
	p.wakeReboots(func(r *v1alpha1.RebootRemediation) bool { return r.Spec.Machine.Name == name })
	p.wakeIntake(change)
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
	said := saysOtherwise(was, is)
	if identity || said || was[1] != is[1] {
		p.wakeChecks()
	}
	if identity || markWas != markIs || saysToRecords(was, is) {
		p.wakeRecords(func(r *v1alpha1.MachineRemediation) bool {
			return r.Spec.MachineRef.Name == name || r.Spec.TemplateRef != nil
		})
	}
}

// saysOtherwise reports whether a verdict has another status, or finds something else.
func saysOtherwise(was, is [3]string) bool { return was[0] != is[0] || (is[0] == "False" && was != is) }

// saysToRecords reports the same, and whether an unknown verdict says otherwise why: that may rest on another health check.
func saysToRecords(was, is [3]string) bool {
	return saysOtherwise(was, is) || (is[0] == "Unknown" && was != is)
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

// wakeBeside queues the other open records of a record's machine: one waits for another, or makes room for it.
func (p *Process) wakeBeside(change apimodel.Change) {
	changed := apimodel.As[*v1alpha1.MachineRemediation](cmp.Or(change.After, change.Before))
	p.wakeRecords(func(r *v1alpha1.MachineRemediation) bool {
		return r.Spec.MachineRef.UID == changed.Spec.MachineRef.UID && r.UID != changed.UID
	})
}

// wakeAsked queues the machine of a record that somebody has asked for.
func (p *Process) wakeAsked(change apimodel.Change) {
	if r := apimodel.As[*v1alpha1.MachineRemediation](cmp.Or(change.After, change.Before)); r.Spec.AskedFor() {
		p.queue.add(Item{intake.ControllerName, r.Spec.MachineRef.Name})
	}
}

// wakeByReboot queues what a RebootRemediation concerns: if it only asks for a power cycle, what is made of it.
func (p *Process) wakeByReboot(change apimodel.Change) {
	name := change.Key.Name
	changed := apimodel.As[*v1alpha1.RebootRemediation](cmp.Or(change.After, change.Before))
	p.wakeRecordsOf(name)
	if !reboot.IsCycle(changed) {
		p.queue.add(Item{intake.ControllerName, ask.MachineOf(changed).Name})
		p.wakeRecords(func(r *v1alpha1.MachineRemediation) bool {
			return r.Spec.AskedFor() && r.Spec.RequestedBy.UID == changed.UID
		})
		return
	}
	p.wakeReboots(func(r *v1alpha1.RebootRemediation) bool {
		return r.Name == name || r.Status.Phase == v1alpha1.Pending || (r.Status.Phase.Ended() && cycle.OwesNode(&r.Status))
	})
}

// wakeAskers queues all machines for which something is asked.
func (p *Process) wakeAskers() {
	for _, machine := range p.World.Server.All(kinds.Machine) {
		p.wakeIntake(apimodel.Change{Kind: kinds.Machine, Key: client.ObjectKeyFromObject(machine.Typed()), After: machine})
	}
}

// wakeIntake queues a machine with a request or an annotation that concerns intake. Of any other, it only reads the metadata.
func (p *Process) wakeIntake(change apimodel.Change) {
	for _, r := range Every[*v1alpha1.RebootRemediation](p.World, kinds.Reboot) {
		if !reboot.IsCycle(r) && ask.MachineOf(r).Name == change.Key.Name {
			p.queue.add(Item{intake.ControllerName, change.Key.Name})
		}
	}
	for _, version := range []*apimodel.Object{change.Before, change.After} {
		if version == nil {
			continue
		}
		for key := range version.Typed().GetAnnotations() {
			if strings.HasPrefix(key, rebootannotation.Request) {
				p.queue.add(Item{intake.ControllerName, change.Key.Name})
				return
			}
		}
	}
}
