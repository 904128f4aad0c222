package cel_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/checks/cel"
)

// TestTyped evaluates objects of Go types.
func TestTyped(t *testing.T) {
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Generation: 2},
		Spec:       appsv1.DeploymentSpec{Replicas: new(int32(3))},
		Status:     appsv1.DeploymentStatus{ObservedGeneration: 2, ReadyReplicas: 3},
	}
	outdated := deployment.DeepCopy()
	outdated.Generation = 3
	named := deployment.DeepCopy()
	named.APIVersion, named.Kind = "example.com/v1", "Other"
	tests := map[string]struct {
		object  *appsv1.Deployment
		scheme  *runtime.Scheme
		current string
		want    healthcheck.Result
	}{
		"numbers": {deployment, nil, "status.readyReplicas == spec.replicas", healthcheck.Result{Status: healthcheck.True, Reason: cel.ReasonCurrent}},
		"an earlier generation": {outdated, nil, "true", healthcheck.Result{
			Status: healthcheck.Progressing, Reason: checks.ReasonNotObserved, Message: "The latest change of the object has not been observed yet",
			Within: 10 * time.Minute, Cause: "generation 3",
		}},
		"an empty status is there": {&appsv1.Deployment{}, nil, "!has(status.readyReplicas)", healthcheck.Result{Status: healthcheck.True, Reason: cel.ReasonCurrent}},
		"the kind by the scheme":   {deployment, clientgoscheme.Scheme, "apiVersion == 'apps/v1' && kind == 'Deployment'", healthcheck.Result{Status: healthcheck.True, Reason: cel.ReasonCurrent}},
		"the kind of the object":   {named, clientgoscheme.Scheme, "apiVersion == 'example.com/v1' && kind == 'Other'", healthcheck.Result{Status: healthcheck.True, Reason: cel.ReasonCurrent}},
		"the kind by nothing": {deployment, nil, "kind == 'Deployment'", healthcheck.Result{
			Status: healthcheck.Unknown, Reason: healthcheck.ReasonCheckFailed, Message: "current: 1:1: the object has no field 'kind'",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := tt.object.DeepCopy()
			check := cel.Check[*appsv1.Deployment]("rule", compile(t, cel.Rule{Current: tt.current}), tt.scheme)
			got, err := check.Check.Check(t.Context(), healthcheck.Input[*appsv1.Deployment]{Object: tt.object})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, tt.object); diff != "" {
				t.Errorf("the object was changed:\n%s", diff)
			}
			if check.Name != "rule" || check.Needs != 0 {
				t.Errorf("got %+v", check)
			}
		})
	}
}

// TestCheckErrs: a kind that the scheme lacks, and a context that has ended, are errors,
// because a retry can help with both.
func TestCheckErrs(t *testing.T) {
	program := compile(t, cel.Rule{Current: "true"})
	in := healthcheck.Input[*appsv1.Deployment]{Object: &appsv1.Deployment{}}
	got, err := cel.Check[*appsv1.Deployment]("rule", program, runtime.NewScheme()).Check.Check(t.Context(), in)
	if !runtime.IsNotRegisteredError(errors.Unwrap(err)) {
		t.Errorf("got %+v, %v", got, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err = cel.Check[*appsv1.Deployment]("rule", program, nil).Check.Check(ended, in); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", got, err)
	}
	result := cel.For[*appsv1.Deployment](program, runtime.NewScheme())(in.Object)
	if result.Status != healthcheck.Unknown || result.Reason != healthcheck.ReasonCheckFailed {
		t.Errorf("a rule: got %+v", result)
	}
}

// TestFor judges an object that another one depends on.
func TestFor(t *testing.T) {
	backup := func(status m) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: m{"metadata": m{"name": "daily", "namespace": "shop", "generation": int64(4)}}}
		u.SetAPIVersion("example.com/v1")
		u.SetKind("Backup")
		if status != nil {
			u.Object["status"] = status
		}
		return u
	}
	rule := phases
	rule.Message = "status.message"
	find := func(*corev1.ConfigMap) *unstructured.Unstructured { return backup(nil) }
	check := checks.One("backup", checks.Source, find, cel.For[*unstructured.Unstructured](compile(t, rule), nil))
	tests := map[string]struct {
		status m
		want   healthcheck.Result
	}{
		"current": {m{"phase": "Ready", "message": ""}, healthcheck.Result{Status: healthcheck.True, Reason: cel.ReasonCurrent}},
		"failed": {m{"phase": "Broken", "message": "Disk is full"}, healthcheck.Result{
			Status: healthcheck.False, Reason: cel.ReasonFailed, Message: "Backup shop/daily: Disk is full",
		}},
		"in progress": {m{"phase": "Creating", "message": "Soon"}, healthcheck.Result{
			Status: healthcheck.Progressing, Reason: cel.ReasonInProgress, Message: "Backup shop/daily: Soon", Within: 10 * time.Minute, Cause: "generation 4",
		}},
		"no status yet": {nil, healthcheck.Result{
			Status: healthcheck.Unknown, Reason: healthcheck.ReasonCheckFailed, Message: "Backup shop/daily: inProgress: 1:7: the object has no field 'status'",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			source := fake.NewClientBuilder().WithObjects(backup(tt.status)).Build()
			got, err := check.Check.Check(t.Context(), healthcheck.Input[*corev1.ConfigMap]{Object: &corev1.ConfigMap{}, Env: healthcheck.Env{Source: source}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestYAML reads an entry of Flux's healthCheckExprs with our additional fields.
func TestYAML(t *testing.T) {
	type entry struct {
		metav1.TypeMeta `json:",inline"`
		cel.Rule        `json:",inline"`
	}
	text := `apiVersion: example.com/v1
codes: '[''ERR_'' + status.code]'
current: status.phase == 'Ready'
failed: status.phase == 'Broken'
fields:
- webhooks
inProgress: status.phase == 'Creating'
kind: Backup
message: status.message
within: 5m0s
`
	var got entry
	if err := yaml.UnmarshalStrict([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want := entry{metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Backup"}, cel.Rule{
		Current: "status.phase == 'Ready'", InProgress: "status.phase == 'Creating'", Failed: "status.phase == 'Broken'",
		Message: "status.message", Codes: "['ERR_' + status.code]", Within: metav1.Duration{Duration: 5 * time.Minute}, Fields: []string{"webhooks"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reading (-want +got):\n%s", diff)
	}
	written, err := yaml.Marshal(got)
	if diff := cmp.Diff(text, string(written)); err != nil || diff != "" {
		t.Errorf("writing: %v (-want +got):\n%s", err, diff)
	}
	short, err := yaml.Marshal(cel.Rule{Current: "true"})
	if diff := cmp.Diff("current: \"true\"\n", string(short)); err != nil || diff != "" {
		t.Errorf("a short one: %v (-want +got):\n%s", err, diff)
	}
}

// TestConcurrently uses one program and one object from many goroutines.
func TestConcurrently(t *testing.T) {
	rule := phases
	rule.Message = "'%s of %d'.format([status.phase, size(status.list)])"
	rule.Codes = "status.list.filter(n, n < 3).map(n, string(n))"
	program := compile(t, rule)
	want := map[string]healthcheck.Status{"Ready": healthcheck.True, "Broken": healthcheck.False, "Creating": healthcheck.Progressing}
	objects := map[string]client.Object{}
	for phase := range want {
		u := listOf(150)
		u.Object["status"].(m)["phase"] = phase
		objects[phase] = u
	}
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for range 5 {
				for phase, object := range objects {
					got, err := program.EvaluateObject(t.Context(), object, nil)
					if err != nil || got.Status != want[phase] || got.Message != fmt.Sprintf("%s of 150", phase) {
						t.Errorf("%s: got %+v, %v", phase, got, err)
					}
				}
			}
		})
	}
	wait.Wait()
}
