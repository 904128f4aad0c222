package monitor

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// takenIn notes what a record was made of: an annotation with its value, or a request.
func (m *Monitor) takenIn(made *v1alpha1.MachineRemediation) {
	by := made.Spec.RequestedBy
	if by.UID != "" {
		m.madeOf[made.UID] = string(by.UID)
		return
	}
	machine := m.machineWith(made.Spec.MachineRef.UID)
	if value, ok := annotationOf(machine, by.Name); ok && by.Name == rebootannotation.Request {
		m.madeOf[made.UID] = fmt.Sprintf("%s %s", machine.UID, value)
	}
}

// annotationOf returns the value of an annotation that asks for something.
func annotationOf(machine *clusterv1.Machine, key string) (string, bool) {
	if machine == nil {
		return "", false
	}
	value, ok := machine.Annotations[key]
	return value, ok && !rebootannotation.IsSign(value)
}

// consumed checks that no two records have hosts cycled for one annotation, or for one request.
func (m *Monitor) consumed(cycle *v1alpha1.RebootRemediation) {
	by := cycle.Spec.RequestedBy
	of, known := m.madeOf[by.UID]
	if !known {
		return
	}
	if first, ok := m.begunFor[of]; ok && first != by.UID {
		m.w.Fail(rules.Consumed, "record %s has the host of %s cycled for %q, for which another record had it cycled", by.Name, cycle.Spec.Machine.Name, of)
	}
	m.begunFor[of] = by.UID
}

// unanswered notes what somebody has asked for and nobody answers.
func (m *Monitor) unanswered(note noting, withdrawn time.Duration) {
	for _, machine := range m.machines() {
		if value, asks := annotationOf(machine, rebootannotation.Request); asks && machine.DeletionTimestamp.IsZero() && !m.mayAskAgain(machine) && !m.leftAlone(machine) {
			note(rules.Consumed, machine.UID, withdrawn, "nobody answers %q on %s", value, machine.Name)
		}
	}
	m.requestsUnanswered(note, withdrawn)
}

// requestsUnanswered notes the RebootRemediations that nobody answers.
func (m *Monitor) requestsUnanswered(note noting, withdrawn time.Duration) {
	for _, request := range m.reboots() {
		machine := history.Latest[*clusterv1.Machine](m.w, kinds.Machine, machineOfRequest(request))
		if reboot.IsCycle(request) || !request.DeletionTimestamp.IsZero() || machine == nil || !machine.DeletionTimestamp.IsZero() || m.openRecord(machine.UID) != nil || m.leftAlone(machine) {
			continue
		}
		told := meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded)
		if told == nil || told.Status == metav1.ConditionUnknown {
			note(rules.Consumed, request.UID, withdrawn, "nobody answers RebootRemediation %s", request.Name)
		}
	}
}

// leftAlone reports whether the Machine or its Cluster is paused, so that nobody is answered.
func (m *Monitor) leftAlone(machine *clusterv1.Machine) bool {
	cluster := history.Latest[*clusterv1.Cluster](m.w, kinds.Cluster, machine.Spec.ClusterName)
	return mhcspec.MachinePaused(machine) || (cluster != nil && mhcspec.ClusterPaused(cluster))
}

func machineOfRequest(request *v1alpha1.RebootRemediation) string {
	if request.Spec.Machine != nil {
		return request.Spec.Machine.Name
	}
	return request.Name
}

// anyAsked reports whether an open record is what somebody has asked for.
func (m *Monitor) anyAsked() bool {
	return slices.ContainsFunc(m.records(), func(r *v1alpha1.MachineRemediation) bool {
		return !ladder.Ended(r) && r.Spec.AskedFor()
	})
}

// hasAsked reports whether an open record of a machine is what somebody has asked for. Others wait for it.
func (m *Monitor) hasAsked(machine *clusterv1.Machine) bool {
	return slices.ContainsFunc(m.records(), func(r *v1alpha1.MachineRemediation) bool {
		return r.Spec.MachineRef.UID == machine.UID && !ladder.Ended(r) && r.Spec.AskedFor()
	})
}

// mayAskAgain reports whether an annotation on a machine may stand: what it asks for comes after what has begun.
func (m *Monitor) mayAskAgain(machine *clusterv1.Machine) bool {
	return slices.ContainsFunc(m.records(), func(r *v1alpha1.MachineRemediation) bool {
		return r.Spec.MachineRef.UID == machine.UID && !ladder.Ended(r) && r.Spec.AskedFor() && (ladder.HasBegun(r) || ladder.SingleSteps(r))
	})
}

// isAsked reports whether the record that made a power cycle is what somebody has asked for.
func (m *Monitor) isAsked(reboot *v1alpha1.RebootRemediation) bool {
	r := history.Latest[*v1alpha1.MachineRemediation](m.w, kinds.Record, reboot.Spec.RequestedBy.Name)
	return r != nil && r.Spec.AskedFor()
}

// actsAsAsked judges an act for a record that somebody has asked for. It needs no sickness, no slot and no gate.
func (m *Monitor) actsAsAsked(t *turn, r *v1alpha1.MachineRemediation, machine *clusterv1.Machine, what string) {
	if r.Spec.MachineRef.UID != machine.UID {
		m.w.Fail(rules.Bound, "%s, which is not the machine of record %s", what, r.Name)
	}
	for _, at := range []lookAt{{kinds.Cluster, kinds.ClusterName}, {kinds.Machine, machine.Name}} {
		if _, ok := t.looks[at]; !ok {
			m.w.Fail(rules.Look, "%s, and has not read %s %s just before", what, at.kind.Kind, at.name)
		}
	}
	mhc := history.Latest[*clusterv1.MachineHealthCheck](m.w, kinds.HealthCheck, kinds.CheckName)
	if seen, ok := t.looks[lookAt{kinds.HealthCheck, kinds.CheckName}]; ok && seen.obj == nil {
		mhc = nil
	} else if ok {
		mhc = looked[*clusterv1.MachineHealthCheck](t, kinds.HealthCheck, kinds.CheckName)
	}
	if why := forbiddenAsked(t.last(), r, mhc, looked[*clusterv1.Cluster](t, kinds.Cluster, kinds.ClusterName), looked[*clusterv1.Machine](t, kinds.Machine, machine.Name)); why != "" {
		m.w.Fail(rules.Permission, "%s, although %s", what, why)
	}
	m.hostFree(t, machine, what)
	m.decided(r, what)
	m.intended(r, what)
	m.once(r, machine, what)
}

// forbiddenAsked returns what forbids an act for a record that somebody has asked for.
func forbiddenAsked(now time.Time, r *v1alpha1.MachineRemediation, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, machine *clusterv1.Machine) string {
	if cluster == nil || machine == nil || !machine.DeletionTimestamp.IsZero() {
		return "the Cluster or the Machine is gone"
	}
	by := r.Spec.RequestedBy.Kind
	if by == v1alpha1.AskedByHealthCheck && mhc != nil {
		if why := stoppedBy(now, mhc, cluster); why != "" {
			return why
		}
	}
	if why, _ := mhcspec.OnHold(now, machine, cluster); why != "" {
		return why
	}
	if mhcspec.MachinePaused(machine) || mhcspec.ClusterPaused(cluster) {
		return "the Machine or the Cluster is paused"
	}
	return ""
}

// stoppedBy says what of a MachineHealthCheck, or of its Cluster, stops the health check of another controller, too.
func stoppedBy(now time.Time, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) string {
	if paused := mhcspec.Paused(mhc, cluster); len(paused) > 0 {
		return paused[0]
	}
	why, _ := mhcspec.OnHold(now, mhc)
	return why
}

// showsProgress checks that intake changes nothing on a Machine but annotations, and the condition that shows the progress of a request.
func (m *Monitor) showsProgress(p *history.Process, before, after *clusterv1.Machine) {
	if after != nil {
		before, after = before.DeepCopy(), after.DeepCopy()
		meta.RemoveStatusCondition(&before.Status.Conditions, clusterv1.MachineExternallyRemediatedCondition)
		meta.RemoveStatusCondition(&after.Status.Conditions, clusterv1.MachineExternallyRemediatedCondition)
		if equality.Semantic.DeepEqual(before.Status.Conditions, after.Status.Conditions) {
			after.Status = before.Status
		}
	}
	m.annotatedOnly(p, before, after)
}
