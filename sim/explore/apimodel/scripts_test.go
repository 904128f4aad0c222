package apimodel_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// scripts are requests as the controllers make them, including failures.
var scripts = map[string]func(*player){
	"create": func(p *player) {
		m := p.machine("m", build.Label("a", "b"))
		p.note("create again", p.c.Create(p.ctx, build.Machine(p.ns, "m")), m)
		again := m.DeepCopy()
		p.note("create with a version", p.c.Create(p.ctx, again), m)
	},
	"merge patch": func(p *player) {
		m := p.machine("m", build.Label("a", "b"))
		p.patch(types.MergePatchType, `{"metadata":{"annotations":{"x":"1"}}}`, m)
		p.patch(types.MergePatchType, `{"metadata":{"annotations":{"x":"1"}}}`, m)
		p.patch(types.MergePatchType, `{"metadata":{"annotations":{"x":null},"labels":{"a":null}}}`, m)
		p.patch(types.MergePatchType, `{"metadata":{"resourceVersion":"1","annotations":{"x":"2"}}}`, m)
		p.patch(types.MergePatchType, `{"metadata":{"uid":"another","annotations":{"x":"2"}}}`, m)
		p.patch(types.MergePatchType, `{"status":{"phase":"Failed"}}`, m)
		p.patch(types.MergePatchType, `{"spec":{"failureDomain":"here"}}`, m)
		p.patch(types.MergePatchType, fmt.Sprintf(`{"metadata":{"uid":%q,"resourceVersion":%q,"annotations":{"y":"2"}}}`, m.UID, p.versions["m"]), m)
		p.patch(types.MergePatchType, `{"metadata":{"annotations":{"x":"1"}}}`, build.Machine(p.ns, "none"))
	},
	"JSON patch": func(p *player) {
		m := p.machine("m")
		p.patch(types.JSONPatchType, `[{"op":"add","path":"/metadata/annotations/x","value":"1"}]`, m)
		p.patch(types.JSONPatchType, `[{"op":"add","path":"/metadata/annotations","value":{"x":"1"}}]`, m)
		p.patch(types.JSONPatchType, fmt.Sprintf(`[{"op":"test","path":"/metadata/uid","value":%q},{"op":"add","path":"/metadata/annotations/a~1b","value":"1"}]`, m.UID), m)
		p.patch(types.JSONPatchType, `[{"op":"test","path":"/metadata/uid","value":"another"},{"op":"add","path":"/metadata/annotations/y","value":"1"}]`, m)
		p.patch(types.JSONPatchType, `[{"op":"test","path":"/metadata/annotations/x","value":"2"},{"op":"remove","path":"/metadata/annotations/x"}]`, m)
		p.patch(types.JSONPatchType, `[{"op":"test","path":"/metadata/annotations/x","value":"1"},{"op":"remove","path":"/metadata/annotations/x"}]`, m)
		p.patch(types.JSONPatchType, `[{"op":"remove","path":"/metadata/annotations/x"}]`, m)
		p.patch(types.JSONPatchType, `[{"op":"test","path":"/metadata/annotations/none","value":null}]`, m)
		p.patch(types.JSONPatchType, `[{"op":"replace","path":"/metadata/annotations/none","value":"1"}]`, m)
		p.patch(types.JSONPatchType, `[{"op":"add","path":"/status/phase","value":"Failed"}]`, m)
	},
	"JSON patch of a status": func(p *player) {
		m := p.machine("m", build.NodeRef("n"))
		add := `{"op":"add","path":"/status/conditions/-","value":{"type":"OwnerRemediated","status":"False","reason":"R","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}}`
		p.patchStatus(types.JSONPatchType, `[{"op":"test","path":"/metadata/uid","value":"another"},`+add+`]`, m)
		p.patchStatus(types.JSONPatchType, fmt.Sprintf(`[{"op":"test","path":"/metadata/uid","value":%q},{"op":"test","path":"/status/conditions/0/status","value":"True"},`+add+`]`, m.UID), m, client.FieldOwner("sickbay-a"))
		p.patchStatus(types.JSONPatchType, `[{"op":"test","path":"/status/conditions/0/status","value":"False"},`+add+`]`, m)
		p.patchStatus(types.JSONPatchType, `[{"op":"test","path":"/status/conditions/9/status","value":"False"}]`, m)
		p.patchStatus(types.JSONPatchType, `[{"op":"add","path":"/metadata/annotations","value":{"x":"1"}},{"op":"add","path":"/spec/failureDomain","value":"x"}]`, m)
		p.patchStatus(types.JSONPatchType, `[{"op":"test","path":"/status/conditions/2/type","value":"OwnerRemediated"},{"op":"remove","path":"/status/conditions/2"}]`, m)
		p.patchStatus(types.JSONPatchType, `[{"op":"remove","path":"/status/conditions/2"}]`, m)
	},
	"merge patch of a status": func(p *player) {
		m := p.machine("m")
		p.patchStatus(types.MergePatchType, `{"metadata":{"resourceVersion":"1"},"status":{"phase":"Failed"}}`, m)
		p.patchStatus(types.MergePatchType, fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"status":{"phase":"Failed"}}`, p.versions["m"]), m)
		p.patchStatus(types.MergePatchType, `{"metadata":{"uid":"another"},"status":{"phase":"Running"}}`, m)
		p.patchStatus(types.MergePatchType, `{"status":{"phase":"Running"}}`, build.Machine(p.ns, "none"))
	},
	"update": func(p *player) {
		m := p.machine("m")
		p.read(m)
		m.Labels["x"] = "y"
		m.Status.Phase = "Failed"
		p.note("update a label", p.c.Update(p.ctx, m), m)
		p.read(m)
		m.Spec.FailureDomain = "here"
		p.note("update the spec", p.c.Update(p.ctx, m), m)
		p.note("update the same", p.c.Update(p.ctx, m), m)
		m.ResourceVersion = "1"
		p.note("update what is stale", p.c.Update(p.ctx, m), m)
	},
	"two conditions of a type": func(p *player) {
		m := p.machine("m")
		one := `{"op":"add","path":"/status/conditions/-","value":{"type":"One","status":"False","reason":"R","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}}`
		p.patchStatus(types.JSONPatchType, `[`+one+`]`, m)
		p.patchStatus(types.JSONPatchType, `[`+one+`]`, m)
	},
	"update of a status": func(p *player) {
		r := p.record("r")
		stale := r.DeepCopy()
		r.Status.Attempt, r.Status.Step = 1, "replace"
		p.note("update", p.c.Status().Update(p.ctx, r), r)
		p.note("update the same", p.c.Status().Update(p.ctx, r), r)
		stale.Status.Attempt = 2
		p.note("update what is stale", p.c.Status().Update(p.ctx, stale), r)
		r.Spec.Grant, r.Annotations = 9, map[string]string{"x": "1"}
		r.Status.Attempt = 3
		p.note("update more than the status", p.c.Status().Update(p.ctx, r), r)
		r.ResourceVersion, r.Status.Attempt = "", 4
		p.note("update without a version", p.c.Status().Update(p.ctx, r), r)
	},
	"grant": func(p *player) {
		r := p.record("r")
		raise := `[{"op":"test","path":"/metadata/uid","value":%q},{"op":"test","path":"/spec/grant","value":%d},{"op":"replace","path":"/spec/grant","value":%d}]`
		p.patch(types.JSONPatchType, fmt.Sprintf(raise, r.UID, 1, 2), r)
		p.patch(types.JSONPatchType, fmt.Sprintf(raise, r.UID, 1, 2), r)
		p.patch(types.JSONPatchType, fmt.Sprintf(raise, "another", 2, 3), r)
		p.patch(types.JSONPatchType, fmt.Sprintf(raise, r.UID, 2, 1), r)
		p.patch(types.MergePatchType, `{"spec":{"clusterName":"other"}}`, r)
		p.patch(types.MergePatchType, `{"spec":{"decision":{"attempt":1,"answer":"Approve"}}}`, r)
	},
	"finalizer": func(p *player) {
		r := p.record("r")
		p.note("delete", p.c.Delete(p.ctx, r), r)
		p.note("delete again", p.c.Delete(p.ctx, r), r)
		p.patch(types.MergePatchType, `{"metadata":{"labels":{"x":"y"}}}`, r)
		p.patch(types.JSONPatchType, `[{"op":"test","path":"/metadata/finalizers/0","value":"sickbay.dev/remediation"},{"op":"remove","path":"/metadata/finalizers/0"}]`, r)
		p.note("delete what is gone", p.c.Delete(p.ctx, r), r)
		p.record("r")
	},
	"delete": func(p *player) {
		m, another := p.machine("m"), types.UID("another")
		p.note("another", p.c.Delete(p.ctx, m, client.Preconditions{UID: &another}), m)
		old := "1"
		p.note("stale", p.c.Delete(p.ctx, m, client.Preconditions{UID: &m.UID, ResourceVersion: &old}), m)
		p.note("this", p.c.Delete(p.ctx, m, client.Preconditions{UID: &m.UID}), m)
	},
	"apply a status": func(p *player) {
		m := p.machine("m")
		p.apply("sickbay-a", m, true, statusFields("R", "One"))
		p.apply("sickbay-a", m, true, statusFields("R", "One"))
		p.apply("sickbay-b", m, true, statusFields("R", "Two"))
		p.apply("sickbay-a", m, true, statusFields("S", "One"))
		p.apply("sickbay-b", m, true, statusFields("S"))
		p.apply("sickbay-a", m, true, statusFields("S"))
		p.apply("sickbay-a", build.Machine(p.ns, "none"), true, statusFields("R", "One"))
	},
	"apply numbers": func(p *player) {
		mhc := build.MachineHealthCheck(p.ns, "mhc")
		p.note("create", p.c.Create(p.ctx, mhc), mhc)
		numbers := func(expected, healthy int64) map[string]any {
			return map[string]any{"status": map[string]any{"expectedMachines": expected, "currentHealthy": healthy, "targets": []any{"a", "b"}}}
		}
		p.apply("sickbay-a", mhc, true, numbers(2, 1))
		p.apply("sickbay-a", mhc, true, numbers(2, 2))
		p.apply("sickbay-a", mhc, true, map[string]any{"status": map[string]any{"expectedMachines": int64(2)}})
		p.apply("sickbay-a", mhc, false, map[string]any{"metadata": map[string]any{"uid": string(mhc.UID), "labels": map[string]any{"l": "1"}, "ownerReferences": []any{
			map[string]any{"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster", "name": "cluster", "uid": "u"},
		}}})
		p.apply("sickbay-a", mhc, false, map[string]any{"metadata": map[string]any{"uid": "another", "labels": map[string]any{"l": "2"}}})
		p.apply("sickbay-a", build.MachineHealthCheck(p.ns, "none"), false, map[string]any{"metadata": map[string]any{"uid": "another", "labels": map[string]any{"l": "2"}}})
	},
	"a mark and its owner": func(p *player) {
		m := p.machine("m")
		p.apply("sickbay-a", m, true, statusFields("WaitingForRemediation", "OwnerRemediated"))
		p.read(m)
		for i := range m.Status.Conditions {
			m.Status.Conditions[i].Reason = "Changed"
		}
		p.note("the owner answers", p.c.Status().Update(p.ctx, m, client.FieldOwner("owner")), m)
		m.Status.Conditions = nil
		p.note("the owner forgets", p.c.Status().Update(p.ctx, m, client.FieldOwner("owner")), m)
	},
}

func statusFields(reason string, types ...string) map[string]any {
	conditions := []any{}
	for _, name := range types {
		conditions = append(conditions, map[string]any{"type": name, "status": "False", "reason": reason, "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"})
	}
	return map[string]any{"status": map[string]any{"conditions": conditions}}
}

// machine creates a Machine with its status.
func (p *player) machine(name string, opts ...build.MachineOption) *clusterv1.Machine {
	p.t.Helper()
	m := build.Machine(p.ns, name, opts...)
	build.Create(p.ctx, p.t, p.c, m)
	p.note("create "+name, nil, m)
	return m
}

func (p *player) read(obj client.Object) {
	p.t.Helper()
	if err := p.c.Get(p.ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
		p.t.Fatal(err)
	}
}

// record creates a MachineRemediation.
func (p *player) record(name string) *v1alpha1.MachineRemediation {
	p.t.Helper()
	r := &v1alpha1.MachineRemediation{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: name, Finalizers: []string{v1alpha1.RemediationFinalizer}, Labels: map[string]string{v1alpha1.OpenLabel: ""}},
		Spec: v1alpha1.MachineRemediationSpec{
			ClusterName:    "cluster",
			MachineRef:     v1alpha1.RemediatedMachineReference{APIGroup: "cluster.x-k8s.io", Name: "m", UID: "u"},
			HealthCheckRef: v1alpha1.RemediationReference{Name: "mhc", UID: "h"},
			Finding:        v1alpha1.RemediationFinding{Reason: "Sick", Since: metav1.NewTime(build.Epoch)},
			Steps: []v1alpha1.RemediationStep{{
				Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(3600)),
				DoneWhen: v1alpha1.DoneWhenMachineHealthy, Attempts: 1, Approval: v1alpha1.ApprovalNotRequired,
			}},
			Grant: 1,
		},
	}
	err := p.c.Create(p.ctx, r)
	p.note("create "+name, err, r)
	return r
}
