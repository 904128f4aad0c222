package monitor

import (
	"fmt"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// acts judges an act on a machine.
func (m *Monitor) acts(p *history.Process, machine *clusterv1.Machine, what string) {
	what = fmt.Sprintf("%s %s %s", p.Name, what, machine.Name)
	t := m.turns[p]
	r := t.recordOf(machine)
	if r == nil {
		m.w.Fail(rules.Look, "%s, and has not read its record", what)
		return
	}
	t.lookByWrite(p, machine)
	if r.Spec.AskedFor() {
		m.actsAsAsked(t, r, machine, what)
		t.looks = map[lookAt]look{}
		return
	}
	m.looked(t, r, machine, what)
	m.permitted(t, r, machine, what)
	m.intended(r, what)
	m.notPast(r, what)
	m.once(r, machine, what)
	m.slots(p, r, machine, what)
	m.gate(p, what)
	t.looks = map[lookAt]look{}
}

// looked checks that Sickbay read everything live that the act depends on, and that it shows a sick
// machine.
func (m *Monitor) looked(t *turn, r *v1alpha1.MachineRemediation, machine *clusterv1.Machine, what string) {
	for _, at := range []lookAt{{kinds.Cluster, kinds.ClusterName}, {kinds.HealthCheck, t.governing(r)}, {kinds.Machine, machine.Name}} {
		if _, ok := t.looks[at]; !ok {
			m.w.Fail(rules.Look, "%s, and has not read %s %s just before", what, at.kind.Kind, at.name)
		}
	}
	// A Node that was created after the look could not have been read.
	if seen := looked[*clusterv1.Machine](t, kinds.Machine, machine.Name); seen != nil {
		machine = seen
	}
	if !machine.Status.NodeRef.IsDefined() || mhcspec.HasAnnotation(machine, clusterv1.RemediateMachineAnnotation) {
		return
	}
	node, ok := t.looks[lookAt{kinds.Node, machine.Status.NodeRef.Name}]
	if !ok {
		m.w.Fail(rules.Look, "%s, and has not read its Node just before", what)
		return
	}
	if !node.sick() {
		m.w.Fail(rules.Health, "%s, whose Node was not sick for certain just before", what)
	}
}

// permitted checks that nothing that was read forbids the act.
func (m *Monitor) permitted(t *turn, r *v1alpha1.MachineRemediation, machine *clusterv1.Machine, what string) {
	if r.Spec.MachineRef.UID != machine.UID {
		m.w.Fail(rules.Bound, "%s, which is not the machine of record %s", what, r.Name)
	}
	if why := forbidden(t.last(), looked[*clusterv1.MachineHealthCheck](t, kinds.HealthCheck, t.governing(r)), looked[*clusterv1.Cluster](t, kinds.Cluster, kinds.ClusterName),
		looked[*clusterv1.Machine](t, kinds.Machine, machine.Name)); why != "" {
		m.w.Fail(rules.Permission, "%s, although %s", what, why)
	}
	m.hostFree(t, machine, what)
	m.decided(r, what)
}

// governing returns the name of the MachineHealthCheck whose settings hold for a record: the one that made it, or the other one if that does not select
// the machine any more, as it was read.
func (t *turn) governing(r *v1alpha1.MachineRemediation) string {
	for _, name := range []string{r.Spec.HealthCheckRef.Name, kinds.CheckName, kinds.SecondCheckName} {
		if t.looks[lookAt{kinds.HealthCheck, name}].obj != nil {
			return name
		}
	}
	return r.Spec.HealthCheckRef.Name
}

// healthCheckOf returns the MachineHealthCheck whose settings hold for a record now; nil if there is none.
func (m *Monitor) healthCheckOf(r *v1alpha1.MachineRemediation) *clusterv1.MachineHealthCheck {
	named := history.Latest[*clusterv1.MachineHealthCheck](m.w, kinds.HealthCheck, r.Spec.HealthCheckRef.Name)
	if all := history.Every[*clusterv1.MachineHealthCheck](m.w, kinds.HealthCheck); named == nil && len(all) > 0 {
		return all[0]
	}
	return named
}

// hostFree checks that nobody keeps the host of a machine, as it was read.
func (m *Monitor) hostFree(t *turn, machine *clusterv1.Machine, what string) {
	if host := looked[*metal3v1.BareMetalHost](t, kinds.Host, history.HostOf(machine.Name)); host != nil && cycle.KeptBy(host, false) != "" {
		m.w.Fail(rules.Permission, "%s, although a person keeps its host: %s", what, cycle.KeptBy(host, false))
	}
}

// forbidden returns what forbids an act on a machine, given the objects as read.
func forbidden(now time.Time, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, machine *clusterv1.Machine) string {
	if mhc == nil || cluster == nil || machine == nil {
		return "the MachineHealthCheck, the Cluster or the Machine is gone"
	}
	if paused := mhcspec.Paused(mhc, cluster); len(paused) > 0 {
		return paused[0]
	}
	if why, _ := mhcspec.OnHold(now, machine, mhc, cluster); why != "" {
		return why
	}
	switch {
	case mhcspec.HasAnnotation(machine, clusterv1.PausedAnnotation):
		return "the Machine is paused"
	case mhcspec.HasAnnotation(machine, clusterv1.MachineSkipRemediationAnnotation):
		return "the Machine is not to be repaired"
	case mhc.Annotations[mhcspec.DryRunAnnotation] == "true":
		return "the MachineHealthCheck is in dry-run"
	case !machine.DeletionTimestamp.IsZero():
		return "the Machine is being deleted"
	}
	return ""
}
