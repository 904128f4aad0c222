package kstatus_test

import (
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/checks/kstatus"
)

// object reads an object from YAML.
func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	data, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = u.UnmarshalJSON(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return u
}

var current = healthcheck.Result{Status: healthcheck.True, Reason: kstatus.ReasonCurrent}

func inProgress(message string) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.Progressing, Reason: kstatus.ReasonInProgress, Within: checks.RolloutWithin, Message: message}
}

func TestRule(t *testing.T) {
	terminating := healthcheck.Result{Status: healthcheck.Progressing, Reason: kstatus.ReasonTerminating, Within: checks.DrainedWithin, Message: "Resource scheduled for deletion"}
	failed := func(message string) healthcheck.Result {
		return healthcheck.Result{Status: healthcheck.False, Reason: kstatus.ReasonFailed, Message: message}
	}
	unknown := func(message string) healthcheck.Result {
		return healthcheck.Result{Status: healthcheck.Unknown, Reason: healthcheck.ReasonCheckFailed, Message: message}
	}
	created := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	pending := inProgress("Pod is in the Pending phase")
	pending.RecheckAt = created.Add(status.ScheduleWindow)
	unseen := healthcheck.Result{Status: healthcheck.Progressing, Reason: checks.ReasonNotObserved, Within: checks.ObservedWithin, Message: "No generation was observed yet, of 1"}
	tests := map[string]struct {
		yaml string
		want healthcheck.Result
	}{
		"ready":             {"{apiVersion: example.com/v1, kind: Gadget, metadata: {generation: 2}, status: {observedGeneration: 2, conditions: [{type: Ready, status: 'True'}]}}", current},
		"without anything":  {"{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}", current},
		"not ready":         {"{apiVersion: example.com/v1, kind: Gadget, status: {conditions: [{type: Ready, status: 'False', reason: Slow, message: Wait for it}]}}", inProgress("Wait for it")},
		"older generation":  {"{apiVersion: example.com/v1, kind: Gadget, metadata: {generation: 2}, status: {observedGeneration: 1, conditions: [{type: Ready, status: 'True'}]}}", inProgress("Gadget generation is 2, but latest observed generation is 1")},
		"reconciling":       {"{apiVersion: example.com/v1, kind: Gadget, status: {conditions: [{type: Reconciling, status: 'True', message: Busy}]}}", inProgress("Busy")},
		"stalled":           {"{apiVersion: example.com/v1, kind: Gadget, status: {conditions: [{type: Stalled, status: 'True', message: No quota}]}}", failed("No quota")},
		"stalled, no words": {"{apiVersion: example.com/v1, kind: Gadget, status: {conditions: [{type: Stalled, status: 'True', reason: Quota}]}}", failed("Quota")},
		"terminating":       {"{apiVersion: example.com/v1, kind: Gadget, metadata: {deletionTimestamp: '2026-07-01T12:00:00Z'}}", terminating},
		"rolling out":       {"{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 1}, spec: {replicas: 2}, status: {observedGeneration: 1, replicas: 2, updatedReplicas: 1}}", inProgress("Updated: fewer than 2")},
		"old ones are left": {"{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 1}, spec: {replicas: 2}, status: {observedGeneration: 1, replicas: 3, updatedReplicas: 2}}", inProgress("Pending termination")},
		"past its deadline": {"{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 1}, status: {observedGeneration: 1, conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded}]}}", failed("Progress deadline exceeded")},
		"failed pod":        {"{apiVersion: v1, kind: Pod, status: {phase: Failed}}", failed("Pod has completed, but not successfully")},
		"pending pod":       {"{apiVersion: v1, kind: Pod, metadata: {creationTimestamp: '2026-07-01T12:00:00Z'}, status: {phase: Pending}}", pending},
		"unseen by anybody": {"{apiVersion: apps/v1, kind: ReplicaSet, metadata: {generation: 1}, spec: {replicas: 0}}", unseen},
		"of another kind":   {"{apiVersion: example.com/v1, kind: ReplicaSet, metadata: {generation: 1}, spec: {replicas: 0}}", current},
		"odd conditions":    {"{apiVersion: example.com/v1, kind: Gadget, status: {conditions: fine}}", unknown("cannot restore slice from string")},
		"odd phase":         {"{apiVersion: v1, kind: Pod, status: {phase: Odd}}", unknown("unknown phase Odd")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := kstatus.Rule(object(t, tt.yaml))
			if !tt.want.RecheckAt.IsZero() && tt.want.RecheckAt.Equal(got.RecheckAt) {
				got.RecheckAt = tt.want.RecheckAt // regardless of its time zone
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestReady(t *testing.T) {
	missing := healthcheck.Result{Status: healthcheck.Progressing, Reason: kstatus.ReasonNoReady, Within: checks.ObservedWithin, Message: "Condition Ready is missing"}
	tests := map[string]struct {
		yaml string
		want healthcheck.Result
	}{
		"ready":     {"{apiVersion: example.com/v1, kind: Gadget, status: {conditions: [{type: Other, status: 'True'}, {type: Ready, status: 'True'}]}}", current},
		"not ready": {"{apiVersion: example.com/v1, kind: Gadget, status: {conditions: [{type: Ready, status: 'False', message: Wait}]}}", inProgress("Wait")},
		"new":       {"{apiVersion: example.com/v1, kind: Gadget}", missing},
		"others":    {"{apiVersion: example.com/v1, kind: Gadget, status: {conditions: [{type: Synced, status: 'True'}]}}", missing},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, kstatus.Ready(object(t, tt.yaml))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestTyped: a typed object has no kind after it was read, but is judged by its kind anyway. If the kind cannot
// be found, the object must not pass as one of an arbitrary kind, which would be current.
func TestTyped(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Generation: 1}, Status: appsv1.DeploymentStatus{ObservedGeneration: 1}}
	rule := checks.Generic[*appsv1.Deployment](scheme.Scheme, kstatus.Rule)
	if diff := cmp.Diff(inProgress("Replicas: fewer than 1"), rule(d)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := checks.Generic[*Gadget](scheme.Scheme, kstatus.Rule)(&Gadget{}); got.Status != healthcheck.Unknown || got.Message == "" {
		t.Errorf("a kind that is not in the scheme: %+v", got)
	}
	if got := kstatus.Rule(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{}}}); got.Status != healthcheck.Unknown {
		t.Errorf("no kind: %+v", got)
	}
}

// Gadget is a kind that is in no scheme.
type Gadget struct{ corev1.ConfigMap }

// TestAnything: any object gives a valid result.
func TestAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := &unstructured.Unstructured{Object: map[string]any{}}
		kind := rapid.SampledFrom([]string{"v1/Pod", "v1/Service", "apps/v1/Deployment", "apps/v1/DaemonSet", "apps/v1/StatefulSet", "apps/v1/ReplicaSet", "batch/v1/Job", "example.com/v1/Gadget", "/"}).Draw(t, "kind")
		fill(t, u.Object, 3)
		cut := len(kind)
		for cut > 0 && kind[cut-1] != '/' {
			cut--
		}
		u.Object["apiVersion"], u.Object["kind"] = kind[:cut-1], kind[cut:]
		for _, r := range []healthcheck.Result{kstatus.Rule(u), kstatus.Ready(u)} {
			if !r.Status.Valid() || r.Reason == "" || (r.Status == healthcheck.Progressing) != (r.Within > 0) || (r.Status == healthcheck.True) != (r.Message == "") {
				t.Fatalf("invalid: %+v", r)
			}
			seen, found, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
			if found && seen < u.GetGeneration() && r.Status == healthcheck.True {
				t.Fatalf("the verdict over an older generation is True")
			}
		}
	})
}

// fill fills an object with fields that rules read, many of them with a wrong type.
func fill(t *rapid.T, object map[string]any, depth int) {
	for _, name := range []string{"metadata", "status", "spec", "generation", "observedGeneration", "phase", "replicas", "conditions", "containerStatuses", "state", "waiting", "reason", "name", "type"} {
		switch what := rapid.IntRange(0, 7).Draw(t, name); {
		case what <= 1 && depth > 0:
			inner := map[string]any{}
			fill(t, inner, depth-1)
			object[name] = inner
		case what == 2 && depth > 0:
			inner := map[string]any{}
			fill(t, inner, depth-1)
			object[name] = []any{inner, "text"}
		case what == 3:
			object[name] = rapid.SampledFrom([]string{"Running", "Ready", "True", "CrashLoopBackOff"}).Draw(t, "text")
		case what == 4:
			object[name] = rapid.Int64Range(0, 3).Draw(t, "number")
		case what == 5:
			object[name] = nil
		}
	}
}
