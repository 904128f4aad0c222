package history

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// toggle sets an annotation, or removes it if it is set.
func (w *World) toggle(kind schema.GroupVersionKind, obj client.Object, key, value string) option {
	name := obj.GetName()
	if _, ok := obj.GetAnnotations()[key]; ok {
		return option{fmt.Sprintf("a person takes %s off %s %s", key, kind.Kind, name), func() { w.annotate(kind, name, map[string]string{key: gone}) }}
	}
	return option{fmt.Sprintf("a person sets %s=%s on %s %s", key, value, kind.Kind, name), func() { w.annotate(kind, name, map[string]string{key: value}) }}
}

func (w *World) meddleWithMachines() []option {
	var options []option
	for _, m := range Every[*clusterv1.Machine](w, kinds.Machine) {
		options = append(options, w.meddleWithMachine(m)...)
	}
	return options
}

func (w *World) meddleWithRecords() []option {
	var options []option
	for _, r := range Every[*v1alpha1.MachineRemediation](w, kinds.Record) {
		if r.Status.CompletionTime == nil {
			options = append(options, w.meddleWithRecord(r)...)
		}
	}
	return options
}

func (w *World) meddleWithRequests() []option {
	var options []option
	for _, request := range Every[*unstructured.Unstructured](w, kinds.Request) {
		options = append(options, option{"a person deletes request " + request.GetName(), func() { w.remove(request) }})
	}
	for _, reboot := range Every[*v1alpha1.RebootRemediation](w, kinds.Reboot) {
		options = append(options, option{"a person deletes RebootRemediation " + reboot.Name, func() { w.remove(reboot) }})
	}
	return options
}

func (w *World) hold() string { return w.clock.now.Add(30 * time.Minute).UTC().Format(time.RFC3339) }

// pauses returns the ways in which people stop everything, and let it continue.
func (w *World) pauses() []option {
	mhc := Latest[*clusterv1.MachineHealthCheck](w, kinds.HealthCheck, kinds.CheckName)
	if mhc == nil {
		return []option{w.pauseCluster()}
	}
	return []option{
		w.toggle(kinds.HealthCheck, mhc, clusterv1.PausedAnnotation, ""), w.toggle(kinds.HealthCheck, mhc, mhcspec.DryRunAnnotation, "true"), w.pauseCluster(),
	}
}

func (w *World) pauseCluster() option {
	cluster := Latest[*clusterv1.Cluster](w, kinds.Cluster, kinds.ClusterName)
	paused := cluster.Spec.Paused != nil && *cluster.Spec.Paused
	return option{fmt.Sprintf("a person sets paused of the Cluster to %t", !paused), func() {
		update(w, kinds.Cluster, kinds.ClusterName, false, func(c *clusterv1.Cluster) { c.Spec.Paused = new(!paused) })
	}}
}

func (w *World) meddleWithCheck() []option {
	mhc := Latest[*clusterv1.MachineHealthCheck](w, kinds.HealthCheck, kinds.CheckName)
	if mhc == nil {
		return []option{{"a person makes the MachineHealthCheck again", func() { w.put(w.healthCheck(kinds.CheckName)) }}}
	}
	options := []option{
		w.toggle(kinds.HealthCheck, mhc, clusterv1.PausedAnnotation, ""),
		w.toggle(kinds.HealthCheck, mhc, mhcspec.DryRunAnnotation, "true"),
		w.toggle(kinds.HealthCheck, mhc, mhcspec.HoldUntilAnnotation, w.hold()),
		{"a person deletes the MachineHealthCheck", func() { w.remove(mhc) }},
	}
	if w.Spec.Plan == nil {
		options = append(options, option{"a person changes the templateRef", func() { w.changeTemplate() }})
	}
	return options
}

// meddleWithSecond returns what a person does to the second MachineHealthCheck.
func (w *World) meddleWithSecond() []option {
	mhc := Latest[*clusterv1.MachineHealthCheck](w, kinds.HealthCheck, kinds.SecondCheckName)
	if mhc == nil {
		return []option{{"a person makes the second MachineHealthCheck again", func() { w.put(w.healthCheck(kinds.SecondCheckName)) }}}
	}
	return []option{
		w.toggle(kinds.HealthCheck, mhc, clusterv1.PausedAnnotation, ""),
		w.toggle(kinds.HealthCheck, mhc, mhcspec.DryRunAnnotation, "true"),
		w.toggle(kinds.HealthCheck, mhc, mhcspec.HoldUntilAnnotation, w.hold()),
		{"a person deletes the second MachineHealthCheck", func() { w.remove(mhc) }},
	}
}

// changeTemplate makes the MachineHealthCheck create requests, or stop creating them.
func (w *World) changeTemplate() {
	update(w, kinds.HealthCheck, kinds.CheckName, false, func(mhc *clusterv1.MachineHealthCheck) {
		ref := &mhc.Spec.Remediation.TemplateRef
		if ref.IsDefined() {
			*ref = clusterv1.MachineHealthCheckRemediationTemplateReference{}
			return
		}
		*ref = clusterv1.MachineHealthCheckRemediationTemplateReference{APIVersion: kinds.Template.GroupVersion().String(), Kind: kinds.Template.Kind, Name: "fix"}
	})
}

func (w *World) meddleWithCluster() []option {
	cluster := Latest[*clusterv1.Cluster](w, kinds.Cluster, kinds.ClusterName)
	return []option{w.pauseCluster(), w.toggle(kinds.Cluster, cluster, mhcspec.HoldUntilAnnotation, w.hold())}
}

func (w *World) meddleWithMachine(m *clusterv1.Machine) []option {
	name := m.Name
	options := []option{
		w.toggle(kinds.Machine, m, clusterv1.MachineSkipRemediationAnnotation, ""),
		w.toggle(kinds.Machine, m, clusterv1.PausedAnnotation, ""),
		w.toggle(kinds.Machine, m, mhcspec.HoldUntilAnnotation, w.hold()),
		{"a person deletes " + name, func() { w.remove(m) }},
	}
	if meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition) != nil {
		options = append(options, option{"a person takes the mark off " + name, func() {
			update(w, kinds.Machine, name, true, func(m *clusterv1.Machine) {
				meta.RemoveStatusCondition(&m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
			})
		}})
	}
	if w.Spec.Owner == worlds.OwnerNone {
		options = append(options, option{"a person makes " + name + " anew", func() { w.makeAnew(m) }})
	}
	return options
}

// makeAnew replaces a Machine with a healthy one of the same name.
func (w *World) makeAnew(m *clusterv1.Machine) {
	w.remove(m)
	w.tearDown(m.Name)
	fresh := m.DeepCopy()
	fresh.ResourceVersion, fresh.Annotations, fresh.DeletionTimestamp = "", nil, nil
	fresh.Finalizers = []string{clusterv1.MachineFinalizer}
	meta.RemoveStatusCondition(&fresh.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	meta.RemoveStatusCondition(&fresh.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition)
	fresh.Status.NodeRef = clusterv1.MachineNodeReference{}
	w.put(fresh)
	w.giveNode(m.Name, false)
}

func (w *World) meddleWithRecord(r *v1alpha1.MachineRemediation) []option {
	var options []option
	for _, answer := range []v1alpha1.Answer{v1alpha1.AnswerApprove, v1alpha1.AnswerDeny, v1alpha1.AnswerRetry, v1alpha1.AnswerCancel} {
		options = append(options, option{fmt.Sprintf("a person answers %s to %s", answer, r.Name), func() { w.decide(r.Name, answer) }})
	}
	return append(options, option{"a person deletes " + r.Name, func() { w.remove(r) }})
}

// decide answers for the current attempt of a record.
func (w *World) decide(name string, answer v1alpha1.Answer) {
	update(w, kinds.Record, name, false, func(r *v1alpha1.MachineRemediation) { r.Spec.Decision = w.decision(r, answer) })
}

// decision returns a decision about the current attempt of a record. A person who cooperates names the step to begin
// with.
func (w *World) decision(r *v1alpha1.MachineRemediation, answer v1alpha1.Answer) *v1alpha1.RemediationDecision {
	d := &v1alpha1.RemediationDecision{Attempt: max(1, r.Status.Attempt), Answer: answer, By: "somebody"}
	if w.cooperating && w.Spec.Plan != nil && answer == v1alpha1.AnswerRetry {
		d.Step = "replace"
	}
	return d
}

// decideToRepair makes a person continue what is Held, and approve what waits for approval.
func (w *World) decideToRepair() []option {
	var options []option
	for _, r := range Every[*v1alpha1.MachineRemediation](w, kinds.Record) {
		answer := v1alpha1.Answer("")
		switch c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionProgressing); {
		case r.Status.CompletionTime != nil || c == nil:
		case r.Status.Phase == v1alpha1.RemediationHeld:
			answer = v1alpha1.AnswerRetry
		case c.Reason == v1alpha1.ReasonApprovalRequired:
			answer = v1alpha1.AnswerApprove
		}
		if d := r.Spec.Decision; answer == "" || (d != nil && *d == *w.decision(r, answer)) {
			continue
		}
		options = append(options, option{fmt.Sprintf("a person answers %s to %s", answer, r.Name), func() { w.decide(r.Name, answer) }})
	}
	return options
}

// Cooperate makes everybody cooperate: it undoes everything that keeps machines from being repaired.
func (w *World) Cooperate() {
	w.say("everybody cooperates")
	w.cooperating = true
	w.refused, w.busy = map[string]bool{}, map[string]time.Time{}
	w.pauseOwner(false)
	w.forbids(false)
	if Latest[*clusterv1.MachineHealthCheck](w, kinds.HealthCheck, kinds.CheckName) == nil {
		w.put(w.healthCheck(kinds.CheckName))
	}
	update(w, kinds.Cluster, kinds.ClusterName, false, func(c *clusterv1.Cluster) { c.Spec.Paused = nil })
	nothing := map[string]string{
		mhcspec.HoldUntilAnnotation: gone, mhcspec.DryRunAnnotation: gone, clusterv1.MachineSkipRemediationAnnotation: gone,
	}
	w.scene().Resume()
	w.annotate(kinds.HealthCheck, kinds.CheckName, nothing)
	nothing[clusterv1.PausedAnnotation] = gone
	if Latest[*clusterv1.MachineHealthCheck](w, kinds.HealthCheck, kinds.SecondCheckName) != nil {
		w.annotate(kinds.HealthCheck, kinds.SecondCheckName, nothing)
	}
	w.annotate(kinds.Cluster, kinds.ClusterName, nothing)
	for _, m := range Every[*clusterv1.Machine](w, kinds.Machine) {
		w.annotate(kinds.Machine, m.Name, nothing)
	}
	w.scene().Finish()
	w.giveHostsBack()
	if w.Spec.Has(worlds.Signals) {
		w.gpuSays(deserted, corev1.ConditionTrue, "Fine")
	}
}
