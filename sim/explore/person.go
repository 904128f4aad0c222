package explore

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// gone is the value of an annotation that is taken away.
const gone = "\x00"

// annotate sets annotations, or takes them away.
func (w *world) annotate(kind schema.GroupVersionKind, name string, values map[string]string) {
	update(w, kind, name, false, func(obj client.Object) {
		annotations := maps.Clone(obj.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if annotations[key] = values[key]; values[key] == gone {
				delete(annotations, key)
			}
		}
		obj.SetAnnotations(annotations)
	})
}

// toggle sets an annotation, or takes it away if it is there.
func (w *world) toggle(kind schema.GroupVersionKind, obj client.Object, key, value string) option {
	name := obj.GetName()
	if _, ok := obj.GetAnnotations()[key]; ok {
		return option{fmt.Sprintf("a person takes %s off %s %s", key, kind.Kind, name), func() { w.annotate(kind, name, map[string]string{key: gone}) }}
	}
	return option{fmt.Sprintf("a person sets %s=%s on %s %s", key, value, kind.Kind, name), func() { w.annotate(kind, name, map[string]string{key: value}) }}
}

func (w *world) meddleWithMachines() []option {
	var options []option
	for _, m := range every[*clusterv1.Machine](w, machineKind) {
		options = append(options, w.meddleWithMachine(m)...)
	}
	return options
}

func (w *world) meddleWithRecords() []option {
	var options []option
	for _, r := range every[*v1alpha1.MachineRemediation](w, recordKind) {
		if r.Status.CompletionTime == nil {
			options = append(options, w.meddleWithRecord(r)...)
		}
	}
	return options
}

func (w *world) meddleWithRequests() []option {
	var options []option
	for _, request := range every[*unstructured.Unstructured](w, requestKind) {
		options = append(options, option{"a person deletes request " + request.GetName(), func() { w.remove(request) }})
	}
	for _, reboot := range every[*v1alpha1.RebootRemediation](w, rebootKind) {
		options = append(options, option{"a person deletes RebootRemediation " + reboot.Name, func() { w.remove(reboot) }})
	}
	return options
}

func (w *world) hold() string { return w.clock.now.Add(30 * time.Minute).UTC().Format(time.RFC3339) }

// pauses are the ways in which people stop everything, and let it go on.
func (w *world) pauses() []option {
	mhc := latest[*clusterv1.MachineHealthCheck](w, healthCheckKind, checkName)
	return []option{
		w.toggle(healthCheckKind, mhc, clusterv1.PausedAnnotation, ""), w.toggle(healthCheckKind, mhc, admission.DryRunAnnotation, "true"), w.pauseCluster(),
	}
}

func (w *world) pauseCluster() option {
	cluster := latest[*clusterv1.Cluster](w, clusterKind, clusterName)
	paused := cluster.Spec.Paused != nil && *cluster.Spec.Paused
	return option{fmt.Sprintf("a person sets paused of the Cluster to %t", !paused), func() {
		update(w, clusterKind, clusterName, false, func(c *clusterv1.Cluster) { c.Spec.Paused = new(!paused) })
	}}
}

func (w *world) meddleWithCheck() []option {
	mhc := latest[*clusterv1.MachineHealthCheck](w, healthCheckKind, checkName)
	if mhc == nil {
		return []option{{"a person makes the MachineHealthCheck again", func() { w.put(w.healthCheck()) }}}
	}
	options := []option{
		w.toggle(healthCheckKind, mhc, clusterv1.PausedAnnotation, ""),
		w.toggle(healthCheckKind, mhc, admission.DryRunAnnotation, "true"),
		w.toggle(healthCheckKind, mhc, targets.HoldUntilAnnotation, w.hold()),
		{"a person deletes the MachineHealthCheck", func() { w.remove(mhc) }},
	}
	// Nobody can know of the requests of a kind that is named nowhere.
	if w.spec.Plan == nil && w.spec.LeftOver != LeftRequest {
		options = append(options, option{"a person changes the templateRef", func() { w.changeTemplate() }})
	}
	return options
}

// changeTemplate has the MachineHealthCheck make requests, or make none any more.
func (w *world) changeTemplate() {
	update(w, healthCheckKind, checkName, false, func(mhc *clusterv1.MachineHealthCheck) {
		ref := &mhc.Spec.Remediation.TemplateRef
		if ref.IsDefined() {
			*ref = clusterv1.MachineHealthCheckRemediationTemplateReference{}
			return
		}
		*ref = clusterv1.MachineHealthCheckRemediationTemplateReference{APIVersion: templateKind.GroupVersion().String(), Kind: templateKind.Kind, Name: "fix"}
	})
}

func (w *world) meddleWithCluster() []option {
	cluster := latest[*clusterv1.Cluster](w, clusterKind, clusterName)
	return []option{w.pauseCluster(), w.toggle(clusterKind, cluster, targets.HoldUntilAnnotation, w.hold())}
}

func (w *world) meddleWithMachine(m *clusterv1.Machine) []option {
	name := m.Name
	options := []option{
		w.toggle(machineKind, m, clusterv1.MachineSkipRemediationAnnotation, ""),
		w.toggle(machineKind, m, clusterv1.PausedAnnotation, ""),
		w.toggle(machineKind, m, targets.HoldUntilAnnotation, w.hold()),
		{"a person deletes " + name, func() { w.remove(m) }},
	}
	if meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition) != nil {
		options = append(options, option{"a person takes the mark off " + name, func() {
			update(w, machineKind, name, true, func(m *clusterv1.Machine) {
				meta.RemoveStatusCondition(&m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
			})
		}})
	}
	if _, ok := m.Annotations[remedy.RebootAnnotation]; ok {
		options = append(options, w.toggle(machineKind, m, remedy.RebootAnnotation, ""))
	}
	if w.spec.Owner == OwnerNone {
		options = append(options, option{"a person makes " + name + " anew", func() { w.makeAnew(m) }})
	}
	return options
}

// makeAnew replaces a Machine by another one of its name, which is healthy.
func (w *world) makeAnew(m *clusterv1.Machine) {
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

func (w *world) meddleWithRecord(r *v1alpha1.MachineRemediation) []option {
	var options []option
	for _, answer := range []v1alpha1.Answer{v1alpha1.AnswerApprove, v1alpha1.AnswerDeny, v1alpha1.AnswerRetry, v1alpha1.AnswerCancel} {
		options = append(options, option{fmt.Sprintf("a person answers %s to %s", answer, r.Name), func() { w.decide(r.Name, answer) }})
	}
	return append(options, option{"a person deletes " + r.Name, func() { w.remove(r) }})
}

// decide answers for the attempt that a record says it is about.
func (w *world) decide(name string, answer v1alpha1.Answer) {
	update(w, recordKind, name, false, func(r *v1alpha1.MachineRemediation) { r.Spec.Decision = w.decision(r, answer) })
}

// decision is one about the attempt that a record says it is about. Whoever means well names the step to begin with.
func (w *world) decision(r *v1alpha1.MachineRemediation, answer v1alpha1.Answer) *v1alpha1.RemediationDecision {
	d := &v1alpha1.RemediationDecision{Attempt: max(1, r.Status.Attempt), Answer: answer, By: "somebody"}
	if w.goodwill && w.spec.Plan != nil && answer == v1alpha1.AnswerRetry {
		d.Step = "replace"
	}
	return d
}

// decideWell has a person go on with what is Held, and approve what waits for approval.
func (w *world) decideWell() []option {
	var options []option
	for _, r := range every[*v1alpha1.MachineRemediation](w, recordKind) {
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

// meanWell undoes all that keeps machines from being repaired.
func (w *world) meanWell() {
	w.goodwill = true
	w.refused = map[string]bool{}
	if latest[*clusterv1.MachineHealthCheck](w, healthCheckKind, checkName) == nil {
		w.put(w.healthCheck())
	}
	update(w, clusterKind, clusterName, false, func(c *clusterv1.Cluster) { c.Spec.Paused = nil })
	nothing := map[string]string{
		clusterv1.PausedAnnotation: gone, targets.HoldUntilAnnotation: gone, admission.DryRunAnnotation: gone,
		clusterv1.MachineSkipRemediationAnnotation: gone, targets.UpgradeMarker: gone,
	}
	w.annotate(healthCheckKind, checkName, nothing)
	w.annotate(clusterKind, clusterName, nothing)
	for _, m := range every[*clusterv1.Machine](w, machineKind) {
		w.annotate(machineKind, m.Name, nothing)
	}
}
