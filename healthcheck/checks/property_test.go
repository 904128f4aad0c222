package checks_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// TestRules applies all rules to objects with any content, or none.
func TestRules(t *testing.T) {
	holds(t, checks.Deployment, filled[appsv1.Deployment])
	holds(t, checks.DeploymentRolledOut, filled[appsv1.Deployment])
	holds(t, checks.DeploymentAvailable, filled[appsv1.Deployment])
	holds(t, checks.StatefulSet, filled[appsv1.StatefulSet])
	holds(t, checks.StatefulSetRolledOut, filled[appsv1.StatefulSet])
	holds(t, checks.StatefulSetAvailable, filled[appsv1.StatefulSet])
	holds(t, checks.ReplicaSet, filled[appsv1.ReplicaSet])
	holds(t, checks.DaemonSet, filled[appsv1.DaemonSet])
	holds(t, checks.DaemonSetRolledOut, filled[appsv1.DaemonSet])
	holds(t, checks.DaemonSetAvailable, filled[appsv1.DaemonSet])
	holds(t, checks.Job, filled[batchv1.Job])
	holds(t, checks.Pod, filled[corev1.Pod])
	holds(t, checks.Service, filled[corev1.Service])
	holds(t, checks.Node, filled[corev1.Node])
	holds(t, checks.PersistentVolumeClaim, filled[corev1.PersistentVolumeClaim])
	holds(t, checks.CustomResourceDefinition, filled[apiextensionsv1.CustomResourceDefinition])
	holds(t, checks.APIService, func(t *rapid.T) *unstructured.Unstructured {
		u := anyJSON(t)
		u.SetGeneration(0) // its status has no observed generation
		return u
	})
	holds(t, checks.ManagedResource, anyJSON)
	holds(t, checks.ManagedResourceRolledOut, anyJSON)
}

// holds applies a rule to many objects.
func holds[O client.Object](t *testing.T, rule checks.Rule[O], draw func(*rapid.T) O) {
	t.Helper()
	var obj O
	t.Run(reflect.TypeOf(obj).String(), rapid.MakeCheck(func(t *rapid.T) {
		obj := draw(t)
		before := obj.DeepCopyObject()
		r := rule(obj)
		wellFormed(t, r)
		if outdated(obj) && r.Status == healthcheck.True {
			t.Errorf("the verdict over an older generation is True")
		}
		if !reflect.DeepEqual(obj, before.(O)) {
			t.Errorf("the object is changed")
		}
		if again := rule(obj); !reflect.DeepEqual(r, again) {
			t.Errorf("the same object gives %+v, then %+v", r, again)
		}
	}))
}

var camelCase = regexp.MustCompile(`^[A-Z][A-Za-z]*$`)

// wellFormed asserts what the engine and readers require of a result.
func wellFormed(t *rapid.T, r healthcheck.Result) {
	if !r.Status.Valid() || !camelCase.MatchString(r.Reason) {
		t.Errorf("no status or no reason: %+v", r)
	}
	if (r.Status == healthcheck.Progressing) != (r.Within > 0 || !r.Deadline.IsZero()) {
		t.Errorf("progress without a limit, or a limit without progress: %+v", r)
	}
	if (r.Status == healthcheck.True) != (r.Message == "") {
		t.Errorf("a pass with words, or a failure without: %+v", r)
	}
	if !utf8.ValidString(r.Message) || strings.Contains(r.Message, "\n") || len(r.Message) > 4000 {
		t.Errorf("a message that is not one line: %+v", r)
	}
}

// outdated reports whether the observed generation of an object is not the current one.
func outdated(obj client.Object) bool {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		seen, found, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
		return found && seen < u.GetGeneration()
	}
	seen := reflect.ValueOf(obj).Elem().FieldByName("Status").FieldByName("ObservedGeneration")
	switch obj.(type) {
	case *corev1.Pod: // a Pod runs, even if its spec is not fully applied yet
		return false
	case *apiextensionsv1.CustomResourceDefinition: // not all API servers set it
		return seen.Int() > 0 && obj.GetGeneration() > seen.Int()
	default:
		return seen.IsValid() && obj.GetGeneration() > seen.Int()
	}
}
