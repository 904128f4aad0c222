package trace

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
)

// object returns an object of a kind with the given YAML, and managed fields for the owners.
func object(t testing.TB, kind schema.GroupVersionKind, text string, owners map[string]string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &obj.Object); err != nil {
		t.Fatal(err)
	}
	if obj.Object == nil {
		obj.Object = map[string]any{}
	}
	obj.SetGroupVersionKind(kind)
	obj.SetUID("u-1")
	obj.SetName("x")
	var entries []metav1.ManagedFieldsEntry
	for _, writer := range slices.Sorted(func(yield func(string) bool) {
		for name := range owners {
			if !yield(name) {
				return
			}
		}
	}) {
		entries = append(entries, metav1.ManagedFieldsEntry{Manager: writer, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(owners[writer])})
	}
	obj.SetManagedFields(entries)
	return obj
}

// condition returns the managed fields of a writer of conditions of some types.
func condition(types ...string) string {
	var all []string
	for _, one := range types {
		all = append(all, `"k:{\"type\":\"`+one+`\"}":{".":{},"f:status":{},"f:reason":{}}`)
	}
	return `{"f:status":{"f:conditions":{` + strings.Join(all, ",") + `}}}`
}

func annotated(names ...string) string {
	var all []string
	for _, one := range names {
		all = append(all, `"f:`+one+`":{}`)
	}
	return `{"f:metadata":{"f:annotations":{` + strings.Join(all, ",") + `}}}`
}

const (
	verdict    = "{type: HealthCheckSucceeded, status: 'False', reason: NodeNotFound}"
	mark       = "{type: OwnerRemediated, status: 'False', reason: WaitingForRemediation}"
	ready      = "{type: Ready, status: 'True', reason: Ready}"
	ourKey     = `'reboot.metal3.io/sickbay-u-2': '{"mode":"hard","request":"u-2"}'`
	ourProbe   = `reboot.metal3.io: '{"mode":"hard","request":"u-2"}'`
	ourMark    = "capi.metal3.io/unhealthy: sickbay/PowerCycleFailed"
	machineHC  = "sickbay-machinehealth"
	repairs    = "sickbay-remediation"
	pausing    = "sickbay-upgradepause"
	pausedMark = "machine.openshift.io/paused-for-upgrade: ''"
)

// TestOf: what is ours, in the order of removal.
func TestOf(t *testing.T) {
	plan := "spec: {remediation: {templateRef: {apiVersion: sickbay.dev/v1alpha1, kind: MachineRemediationTemplate, name: gold}}}"
	for name, tt := range map[string]struct {
		kind        schema.GroupVersionKind
		text        string
		owners      map[string]string
		all         bool
		ours, yours string
	}{
		"nothing": {kind: Machines},
		"a verdict and a mark": {
			kind: Machines, text: "status: {conditions: [" + ready + ", " + verdict + ", " + mark + "]}", owners: map[string]string{"capi": condition("Ready"), machineHC: condition("HealthCheckSucceeded"), repairs: condition("OwnerRemediated")},
			ours: "condition HealthCheckSucceeded, condition OwnerRemediated, field manager " + machineHC + ", field manager " + repairs,
		},
		"a verdict of others": {kind: Machines, text: "status: {conditions: [" + verdict + "]}", owners: map[string]string{"capi": condition("HealthCheckSucceeded")}},
		"a verdict that others changed": {
			kind: Machines, text: "status: {conditions: [" + verdict + "]}", owners: map[string]string{"capi": condition("HealthCheckSucceeded"), machineHC: condition("HealthCheckSucceeded")},
			ours: "field manager " + machineHC,
		},
		"a mark that its owner has answered": {
			kind: Machines, text: "status: {conditions: [" + strings.Replace(mark, "WaitingForRemediation", "RemediationDeferred", 1) + "]}",
			owners: map[string]string{"kcp": condition("OwnerRemediated"), repairs: condition("OwnerRemediated")}, ours: "condition OwnerRemediated, field manager " + repairs,
		},
		"a mark by which its owner deletes it": {
			kind: Machines, text: "status: {conditions: [" + strings.Replace(mark, "WaitingForRemediation", "MachineDeleting", 1) + "]}",
			owners: map[string]string{"machineset": condition("OwnerRemediated"), repairs: condition("OwnerRemediated")}, ours: "field manager " + repairs,
		},
		"a mark of a machine that is being deleted": {
			kind: Machines, text: "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}\nstatus: {conditions: [" + mark + "]}", owners: map[string]string{repairs: condition("OwnerRemediated")},
			ours: "field manager " + repairs,
		},
		"a mark of Cluster API's own controller": {kind: Machines, text: "status: {conditions: [" + mark + "]}", owners: map[string]string{"capi": condition("OwnerRemediated")}},
		"the sign of a power cycle":              {kind: Machines, text: "metadata: {annotations: {reboot.metal3.io: 5f2c9d1e-0000-4000-8000-000000000001/1}}", ours: "annotation reboot.metal3.io"},
		"the sign of a single step":              {kind: Machines, text: "metadata: {annotations: {reboot.metal3.io/PowerOff: 5f2c9d1e-0000-4000-8000-000000000001/1}}", ours: "annotation reboot.metal3.io/PowerOff"},
		"a single step that a person asked for":  {kind: Machines, text: "metadata: {annotations: {reboot.metal3.io/PowerOff: now}}"},
		"a power cycle that a person asked for":  {kind: Machines, text: "metadata: {annotations: {reboot.metal3.io: now}}"},
		"a hold": {
			kind: Machines, text: "metadata: {annotations: {sickbay.dev/hold-until: '2026-01-01T00:00:00Z'}}", owners: map[string]string{"sickbay-cli": annotated("sickbay.dev/hold-until")},
			ours: "field manager sickbay-cli", yours: "annotation sickbay.dev/hold-until",
		},
		"a hold, annotations too": {kind: Machines, all: true, text: "metadata: {annotations: {sickbay.dev/hold-until: '2026-01-01T00:00:00Z'}}", ours: "annotation sickbay.dev/hold-until"},
		"clocks of the health check engine": {
			kind: Machines, text: "metadata: {annotations: {progress.healthcheck.sickbay.dev/" + machinehealth.ControllerName + ": '{}', progress.healthcheck.sickbay.dev/other: '{}'}}",
			owners: map[string]string{machinehealth.ControllerName: annotated("progress.healthcheck.sickbay.dev/" + machinehealth.ControllerName)},
			ours:   "annotation progress.healthcheck.sickbay.dev/machinehealth",
		},
		"what OpenShift's machine is told": {
			kind: OpenShiftMachines, text: "metadata: {annotations: {sickbay.dev/external-remediation-outcome: x, host.metal3.io/external-remediation: ''}}", ours: "annotation sickbay.dev/external-remediation-outcome",
		},

		"a status": {
			kind: Checks, text: "status: {expectedMachines: 3, conditions: [" + ready + "]}", owners: map[string]string{"sickbay-machinehealthcheck": `{"f:status":{"f:expectedMachines":{},"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{}}}}}`},
			ours: "condition Ready, status.expectedMachines, field manager sickbay-machinehealthcheck",
		},
		"a status of which others wrote a part": {
			kind: Checks, text: "status: {expectedMachines: 3, currentHealthy: 2}", owners: map[string]string{"sickbay-machinehealthcheck": `{"f:status":{"f:expectedMachines":{}}}`, "capi": `{"f:status":{"f:currentHealthy":{}}}`},
			ours: "status.expectedMachines, field manager sickbay-machinehealthcheck",
		},
		"a label and an owner": {
			kind: Checks, text: "metadata: {labels: {cluster.x-k8s.io/cluster-name: c}, ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, name: c, uid: u-3}]}",
			owners: map[string]string{"sickbay-machinehealthcheck-metadata": `{"f:metadata":{"f:labels":{"f:cluster.x-k8s.io/cluster-name":{}},"f:ownerReferences":{"k:{\"uid\":\"u-3\"}":{}}}}`},
			ours:   "label cluster.x-k8s.io/cluster-name, owner reference to Cluster c, field manager sickbay-machinehealthcheck-metadata",
		},
		"a label and an owner of others as well": {
			kind: Checks, text: "metadata: {labels: {cluster.x-k8s.io/cluster-name: c}}",
			owners: map[string]string{"sickbay-machinehealthcheck-metadata": `{"f:metadata":{"f:labels":{"f:cluster.x-k8s.io/cluster-name":{}}}}`, "kubectl": `{"f:metadata":{"f:labels":{"f:cluster.x-k8s.io/cluster-name":{}}}}`},
			ours:   "field manager sickbay-machinehealthcheck-metadata",
		},
		"a pause": {
			kind: Checks, text: "metadata: {annotations: {cluster.x-k8s.io/paused: upgrade, " + pausedMark + ", sickbay.dev/upgrade-paused-at: x}}",
			ours: "the pause for an upgrade, annotation machine.openshift.io/paused-for-upgrade, annotation sickbay.dev/upgrade-paused-at",
		},
		"a pause of OpenShift's": {kind: OpenShiftChecks, text: "metadata: {annotations: {cluster.x-k8s.io/paused: upgrade, " + pausedMark + "}}", ours: "the pause for an upgrade, annotation machine.openshift.io/paused-for-upgrade"},
		"a pause of one that is handed over": {
			kind: Checks, text: "metadata: {annotations: {cluster.x-k8s.io/paused: sickbay-upgrade, " + pausedMark + "}}",
			ours: "the pause for an upgrade, annotation machine.openshift.io/paused-for-upgrade", yours: handedOver,
		},
		"a pause that somebody took over":     {kind: Checks, text: "metadata: {annotations: {cluster.x-k8s.io/paused: upgrade}}", yours: "annotation cluster.x-k8s.io/paused=upgrade, as somebody took the pause over"},
		"a pause of somebody":                 {kind: Checks, text: "metadata: {annotations: {cluster.x-k8s.io/paused: maintenance}}"},
		"a pause of somebody with the marker": {kind: Checks, text: "metadata: {annotations: {cluster.x-k8s.io/paused: maintenance, " + pausedMark + "}}"},
		"our marker under another's pause": {
			kind: Checks, text: "metadata: {annotations: {cluster.x-k8s.io/paused: maintenance, " + pausedMark + "}}", owners: map[string]string{pausing: annotated("machine.openshift.io/paused-for-upgrade")},
			ours: "annotation machine.openshift.io/paused-for-upgrade, field manager " + pausing,
		},
		"handed over":                  {kind: Checks, text: "metadata: {annotations: {cluster.x-k8s.io/paused: sickbay}}", yours: handedOver},
		"handed over, annotations too": {kind: Checks, all: true, text: "metadata: {annotations: {cluster.x-k8s.io/paused: sickbay}}", ours: "annotation cluster.x-k8s.io/paused=sickbay"},
		"resumed by us": {
			kind: Checks, text: "metadata: {annotations: {sickbay.dev/resumed-at: x}}", owners: map[string]string{pausing: annotated("sickbay.dev/resumed-at")},
			ours: "annotation sickbay.dev/resumed-at, field manager " + pausing,
		},
		"resumed by a person": {kind: Checks, text: "metadata: {annotations: {sickbay.dev/resumed-at: x}}", yours: "annotation sickbay.dev/resumed-at"},
		"a plan's name":       {kind: Checks, text: plan, yours: "spec.remediation.templateRef, which names the plan gold: nobody else can use it"},

		"a host kept off":                {kind: Hosts, text: "metadata: {annotations: {" + ourKey + ", " + ourProbe + "}}", ours: "annotation reboot.metal3.io, which has it switched off, annotation reboot.metal3.io/sickbay-u-2, which keeps it off"},
		"a host kept off, being deleted": {kind: Hosts, text: "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z', annotations: {" + ourKey + "}}", ours: "annotation reboot.metal3.io/sickbay-u-2, which keeps it off"},
		"a host kept off by others":      {kind: Hosts, text: "metadata: {annotations: {'reboot.metal3.io/capm3-x': '', reboot.metal3.io: '{\"mode\":\"hard\"}'}}"},
		"a host marked by us":            {kind: Hosts, text: "metadata: {annotations: {" + ourMark + "}}", ours: "annotation capi.metal3.io/unhealthy"},
		"a host marked by others":        {kind: Hosts, text: "metadata: {annotations: {capi.metal3.io/unhealthy: ''}}"},

		"a record":                             {kind: Records, text: "metadata: {finalizers: [sickbay.dev/remediation]}", ours: "the whole object"},
		"a record that is deleted":             {kind: Records, text: "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [example.dev/a, sickbay.dev/remediation]}", ours: "finalizer sickbay.dev/remediation"},
		"a record that others keep":            {kind: Records, text: "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [example.dev/a]}"},
		"a RebootRemediation":                  {kind: Reboots, ours: "the whole object"},
		"a RebootRemediation that is deleted":  {kind: Reboots, text: "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [sickbay.dev/reboot, sickbay.dev/reboot-node]}", ours: "finalizer sickbay.dev/reboot, finalizer sickbay.dev/reboot-node"},
		"a plan":                               {kind: Plans, text: "status: {conditions: [" + ready + "]}", owners: map[string]string{repairs: condition("Ready")}, ours: "condition Ready, field manager " + repairs, yours: "the plan"},
		"a template":                           {kind: RebootTemplates, yours: "the template"},
		"a request":                            {kind: schema.GroupVersionKind{Group: "a", Version: "v1", Kind: "Fix"}, text: "metadata: {annotations: {sickbay.dev/operation-id: r/1}}", ours: "the whole object"},
		"a request of others":                  {kind: schema.GroupVersionKind{Group: "a", Version: "v1", Kind: "Fix"}, owners: map[string]string{"capi": "{}"}},
		"a Cluster":                            {kind: Clusters, text: "metadata: {annotations: {sickbay.dev/pause-on-upgrade: 'true'}}", yours: "annotation sickbay.dev/pause-on-upgrade"},
		"a name that only begins like Sickbay": {kind: Machines, owners: map[string]string{"sickbayer": "{}"}},
	} {
		t.Run(name, func(t *testing.T) {
			found := Of(object(t, tt.kind, tt.text, tt.owners), Options{Annotations: tt.all})
			if got := strings.Join(found.What(), ", "); got != tt.ours {
				t.Errorf("ours is %q,\nwant %q", got, tt.ours)
			}
			if got := strings.Join(found.Yours, ", "); got != tt.yours {
				t.Errorf("yours is %q, want %q", got, tt.yours)
			}
		})
	}
}

// carryOut applies a finding like an API server.
func carryOut(t interface{ Fatal(...any) }, obj *unstructured.Unstructured, f Finding) *unstructured.Unstructured {
	data, err := json.Marshal(f.Patch)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(data)
	if err != nil {
		t.Fatal(err)
	}
	before, err := obj.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	after, err := patch.Apply(before)
	if err != nil {
		t.Fatal(err, string(data), string(before))
	}
	result := &unstructured.Unstructured{}
	if err := result.UnmarshalJSON(after); err != nil {
		t.Fatal(err)
	}
	return result
}

// TestAllGoes: whatever is on an object, carrying out the first finding again and again ends, and then nothing is ours. Everything that
// others have written stays.
func TestAllGoes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		flip := func(name string) bool { return rapid.Bool().Draw(rt, name) }
		var conditions []string
		owners := map[string]string{}
		var ours, theirs []string
		for _, one := range []string{verdict, mark, ready, "{type: HostHealthy, status: 'True', reason: ''}"} {
			if !flip("has") {
				continue
			}
			conditions = append(conditions, one)
			name := strings.TrimPrefix(strings.Split(one, ",")[0], "{type: ")
			if flip("is ours") {
				ours = append(ours, name)
			}
			if flip("is theirs") {
				theirs = append(theirs, name)
			}
		}
		owners["sickbay-x"], owners["them"] = condition(ours...), condition(theirs...)
		var annotations []string
		for _, one := range []string{"cluster.x-k8s.io/paused: upgrade", pausedMark, "sickbay.dev/upgrades-handled: ''", "sickbay.dev/max-in-flight: '1'", "example.dev/x: z", "sickbay.dev/typo: x"} {
			if flip("annotated") {
				annotations = append(annotations, one)
			}
		}
		obj := object(t, Checks, "metadata: {annotations: {"+strings.Join(annotations, ", ")+"}}\nstatus: {conditions: ["+strings.Join(conditions, ", ")+"]}", owners)
		options := Options{Annotations: flip("all")}
		for range 20 {
			found := Of(obj, options)
			if len(found.Ours) == 0 {
				break
			}
			obj = carryOut(rt, obj, found.Ours[0])
		}
		if left := Of(obj, options); len(left.Ours) > 0 {
			rt.Fatalf("still ours: %q on %v", left.What(), obj.Object)
		}
		text, _ := obj.MarshalJSON()
		for _, name := range theirs {
			if name != "OwnerRemediated" && !strings.Contains(string(text), name) {
				rt.Fatalf("condition %s of others is gone: %s", name, text)
			}
		}
		if slices.Contains(annotations, "example.dev/x: z") != strings.Contains(string(text), "example.dev/x") {
			rt.Fatalf("the annotation of others: %s", text)
		}
		if options.Annotations && strings.Contains(string(text), "sickbay.dev/") {
			rt.Fatalf("not all annotations went: %s", text)
		}
	})
}

// TestBound: a write changes only the very object and the very values that were read.
func TestBound(t *testing.T) {
	read := object(t, Machines, "metadata: {annotations: {reboot.metal3.io: 5f2c9d1e-0000-4000-8000-000000000001/1}}\nstatus: {conditions: ["+mark+"]}", map[string]string{repairs: condition("OwnerRemediated")})
	for name, change := range map[string]func(*unstructured.Unstructured){
		"another object": func(obj *unstructured.Unstructured) { obj.SetUID("u-2") },
		"another mark": func(obj *unstructured.Unstructured) {
			conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
			conditions[0].(map[string]any)["reason"] = "MachineDeleting"
			_ = unstructured.SetNestedSlice(obj.Object, conditions, "status", "conditions")
		},
		"another request": func(obj *unstructured.Unstructured) { obj.SetAnnotations(map[string]string{"reboot.metal3.io": ""}) },
	} {
		t.Run(name, func(t *testing.T) {
			changed := read.DeepCopy()
			change(changed)
			refused := 0
			for _, f := range Of(read, Options{}).Ours {
				data, _ := json.Marshal(f.Patch)
				patch, err := jsonpatch.DecodePatch(data)
				if err != nil {
					t.Fatal(err)
				}
				before, _ := changed.MarshalJSON()
				if _, err := patch.Apply(before); err != nil {
					refused++
				}
			}
			if refused == 0 {
				t.Error("every write was taken")
			}
		})
	}
}
