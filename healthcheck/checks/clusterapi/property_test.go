package clusterapi_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/checks/clusterapi"
)

// TestRules applies all rules to objects with any content, or none.
func TestRules(t *testing.T) {
	holds(t, clusterapi.Machine, filled[clusterv1.Machine])
	holds(t, clusterapi.MachineSet, filled[clusterv1.MachineSet])
	holds(t, clusterapi.MachineDeployment, filled[clusterv1.MachineDeployment])
	holds(t, clusterapi.MachineDeploymentRolledOut, filled[clusterv1.MachineDeployment])
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
		seen := reflect.ValueOf(obj).Elem().FieldByName("Status").FieldByName("ObservedGeneration").Int()
		if obj.GetGeneration() > seen && r.Status == healthcheck.True {
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
