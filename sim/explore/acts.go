package explore

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/remediation"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
)

// acts judges something that was done to a machine.
func (m *monitor) acts(p *process, machine *clusterv1.Machine, what string) {
	what = fmt.Sprintf("%s %s %s", p.name, what, machine.Name)
	t := p.turn
	r := t.recordOf(machine)
	if r == nil {
		m.w.fail(ruleLook, "%s, and has not read its record", what)
		return
	}
	m.looked(t, machine, what)
	m.permitted(t, r, machine, what)
	m.intended(r, what)
	m.once(r, machine, what)
	m.slots(t, machine, what)
	m.gate(p, what)
	t.looks = map[lookAt]look{}
}

// looked holds that everything was read live that the act goes by, and that it shows a sick machine.
func (m *monitor) looked(t *turn, machine *clusterv1.Machine, what string) {
	for _, at := range []lookAt{{clusterKind, clusterName}, {healthCheckKind, checkName}, {machineKind, machine.Name}} {
		if _, ok := t.looks[at]; !ok {
			m.w.fail(ruleLook, "%s, and has not read %s %s just before", what, at.kind.Kind, at.name)
		}
	}
	if !machine.Status.NodeRef.IsDefined() || hasAnnotation(machine, clusterv1.RemediateMachineAnnotation) {
		return
	}
	node, ok := t.looks[lookAt{nodeKind, machine.Status.NodeRef.Name}]
	if !ok {
		m.w.fail(ruleLook, "%s, and has not read its Node just before", what)
		return
	}
	if !node.sick() {
		m.w.fail(ruleHealth, "%s, whose Node was not sick for certain just before", what)
	}
}

// permitted holds that nothing that was read forbids the act.
func (m *monitor) permitted(t *turn, r *v1alpha1.MachineRemediation, machine *clusterv1.Machine, what string) {
	if r.Spec.MachineRef.UID != machine.UID {
		m.w.fail(ruleBound, "%s, which is not the machine of record %s", what, r.Name)
	}
	if why := forbidden(t.last(), looked[*clusterv1.MachineHealthCheck](t, healthCheckKind, checkName), looked[*clusterv1.Cluster](t, clusterKind, clusterName),
		looked[*clusterv1.Machine](t, machineKind, machine.Name)); why != "" {
		m.w.fail(rulePermission, "%s, although %s", what, why)
	}
	m.decided(r, what)
}

// decided holds that nobody has decided against the act, and that somebody has approved it if the step asks for that.
func (m *monitor) decided(r *v1alpha1.MachineRemediation, what string) {
	step, d := stepOf(r), r.Spec.Decision
	if d != nil && d.Attempt != number(r) {
		d = nil
	}
	if step.Approval == v1alpha1.ApprovalRequired && !agreed(d) && !agreed(before(r, step)) {
		m.w.fail(ruleDecision, "%s, and nobody has approved attempt %d of %s", what, number(r), r.Name)
	}
	if d != nil && (d.Answer == v1alpha1.AnswerCancel || (d.Answer == v1alpha1.AnswerDeny && ladder.AtWork(r) == nil)) {
		m.w.fail(ruleDecision, "%s, although a person has answered %s", what, d.Answer)
	}
}

func agreed(d *v1alpha1.RemediationDecision) bool {
	return d != nil && (d.Answer == v1alpha1.AnswerApprove || d.Answer == v1alpha1.AnswerRetry)
}

// before is what a person has decided about the attempt before, if that was one of the same step and has done nothing.
func before(r *v1alpha1.MachineRemediation, step v1alpha1.RemediationStep) *v1alpha1.RemediationDecision {
	for _, attempt := range slices.Backward(r.Status.Attempts) {
		if attempt.EndTime == nil {
			continue
		}
		if attempt.Step == step.Name && attempt.ObjectRef == nil {
			return attempt.Decision
		}
		return nil
	}
	return nil
}

// forbidden says what keeps anybody from doing something to a machine, as it was read.
func forbidden(now time.Time, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, machine *clusterv1.Machine) string {
	if mhc == nil || cluster == nil || machine == nil {
		return "the MachineHealthCheck, the Cluster or the Machine is gone"
	}
	if paused := targets.Paused(mhc, cluster); len(paused) > 0 {
		return paused[0]
	}
	if why, _ := targets.OnHold(now, machine, mhc, cluster); why != "" {
		return why
	}
	switch {
	case hasAnnotation(machine, clusterv1.PausedAnnotation):
		return "the Machine is paused"
	case hasAnnotation(machine, clusterv1.MachineSkipRemediationAnnotation):
		return "the Machine is not to be repaired"
	case mhc.Annotations[admission.DryRunAnnotation] == "true":
		return "the MachineHealthCheck is in dry-run"
	case !machine.DeletionTimestamp.IsZero():
		return "the Machine is being deleted"
	}
	return ""
}

func hasAnnotation(obj client.Object, key string) bool {
	_, ok := obj.GetAnnotations()[key]
	return ok
}

// number is that of the attempt which is at work or comes next.
func number(r *v1alpha1.MachineRemediation) int32 {
	if attempt := ladder.AtWork(r); attempt != nil {
		return attempt.Number
	}
	return max(1, r.Status.Attempt)
}

func operationOf(r *v1alpha1.MachineRemediation) string { return ladder.OperationID(r, number(r)) }

// stepOf is the step of that attempt.
func stepOf(r *v1alpha1.MachineRemediation) v1alpha1.RemediationStep {
	if attempt := ladder.AtWork(r); attempt != nil {
		for _, step := range r.Spec.Steps {
			if step.Name == attempt.Step {
				return step
			}
		}
	}
	step, _ := ladder.NextStep(r)
	return step
}

// intended holds that the record says what is done: by its creation for the first attempt, by its status for others.
func (m *monitor) intended(r *v1alpha1.MachineRemediation, what string) {
	attempt := ladder.AtWork(r)
	switch {
	case ladder.Ended(r):
		m.w.fail(ruleIntent, "%s, although record %s has ended", what, r.Name)
	case !ladder.HasSlot(r):
		m.w.fail(ruleIntent, "%s, although record %s has no slot", what, r.Name)
	case attempt == nil && r.Status.Attempt != 0:
		m.w.fail(ruleIntent, "%s, and record %s does not say so", what, r.Name)
	case attempt != nil && attempt.ObjectRef != nil:
		m.w.fail(ruleOnce, "%s, although record %s says that attempt %d was carried out", what, r.Name, attempt.Number)
	}
}

// once holds that an attempt does one thing, and that nothing else is done to its machine.
func (m *monitor) once(r *v1alpha1.MachineRemediation, machine *clusterv1.Machine, what string) {
	operation := operationOf(r)
	m.effects[operation]++
	if m.effects[operation] > 1 && !m.lost[operation] {
		m.w.fail(ruleOnce, "%s: that is side effect %d of operation %s", what, m.effects[operation], operation)
	}
	now := latest[*clusterv1.Machine](m.w, machineKind, machine.Name)
	if standing := m.standing(now); len(standing) > 1 {
		m.w.fail(ruleOneRecord, "%s, and there stand %q", what, standing)
	}
}

// standing are the things that Sickbay has asked for about a machine and that are not over.
func (m *monitor) standing(machine *clusterv1.Machine) []string {
	if machine == nil {
		return nil
	}
	var all []string
	if markStands(machine) {
		all = append(all, "a mark")
	}
	if rebootAsked(machine) != "" {
		all = append(all, "a power cycle")
	}
	if m.deleted[machine.UID] {
		all = append(all, "a deletion")
	}
	for _, request := range every[*unstructured.Unstructured](m.w, requestKind) {
		if m.requested(request, machine) {
			all = append(all, "request "+request.GetName())
		}
	}
	for _, reboot := range every[*v1alpha1.RebootRemediation](m.w, rebootKind) {
		// A power cycle that is over keeps nothing off.
		over := meta.FindStatusCondition(reboot.Status.Conditions, v1alpha1.ConditionSucceeded)
		if m.requested(reboot, machine) && (over == nil || over.Status == metav1.ConditionUnknown) {
			all = append(all, "RebootRemediation "+reboot.Name)
		}
	}
	return all
}

// requested reports whether an object is one that a record has asked for, for a machine. Evidence does not stand.
func (m *monitor) requested(request client.Object, machine *clusterv1.Machine) bool {
	if !request.GetDeletionTimestamp().IsZero() {
		return false
	}
	for _, owner := range request.GetOwnerReferences() {
		if owner.UID == machine.UID {
			return true
		}
		r := as[*v1alpha1.MachineRemediation](m.w.server.Latest(recordKind, inNamespace(owner.Name)))
		if r != nil && r.UID == owner.UID && r.Spec.MachineRef.UID == machine.UID && !evidence(r, request) {
			return true
		}
	}
	return false
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

// slots holds that not more machines are under repair than allowed, by the greater of what was read and what is so.
func (m *monitor) slots(t *turn, machine *clusterv1.Machine, what string) {
	allowed := max(m.allowed(looked[*clusterv1.MachineHealthCheck](t, healthCheckKind, checkName)), m.allowed(latest[*clusterv1.MachineHealthCheck](m.w, healthCheckKind, checkName)))
	if allowed == 0 {
		return
	}
	var under []string
	for _, other := range every[*clusterv1.Machine](m.w, machineKind) {
		r := m.openRecord(other.UID)
		atWork := r != nil && ladder.AtWork(r) != nil && ladder.AtWork(r).ObjectRef != nil
		ours := r != nil || (targets.IsTarget(other) && m.hadRecord(other.UID))
		if atWork || (ours && len(m.standing(other)) > 0) || other.UID == machine.UID {
			under = append(under, other.Name)
		}
	}
	if len(under) > allowed {
		m.w.fail(ruleSlots, "%s, and under repair are %q, of which %d may be", what, under, allowed)
	}
}

// allowed is how many machines may be under repair; 0 is any number.
func (m *monitor) allowed(mhc *clusterv1.MachineHealthCheck) int {
	if m.w.spec.Plan != nil {
		return m.w.spec.Slots
	}
	if mhc == nil {
		return 0
	}
	n, err := strconv.Atoi(mhc.Annotations[admission.MaxInFlightAnnotation])
	if err != nil {
		return 0
	}
	return n
}

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

// machineOf is the machine of the record that a process looks at; nil if it is gone.
func (m *monitor) machineOf(p *process, request client.Object) *clusterv1.Machine {
	r := as[*v1alpha1.MachineRemediation](m.w.server.Latest(recordKind, inNamespace(p.turn.item.name)))
	if r == nil {
		m.w.fail(ruleIntent, "%s has made or deleted %s without a record", p.name, request.GetName())
		return nil
	}
	return latest[*clusterv1.Machine](m.w, machineKind, r.Spec.MachineRef.Name)
}
