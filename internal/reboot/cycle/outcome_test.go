package cycle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestOutcomeIsState: why a cycle ended is stored in a field, and what follows depends on that field, not on conditions.
func TestOutcomeIsState(t *testing.T) {
	f := in(v1alpha1.WaitingForNode)
	f.Status = Decide(f, noon.Add(nodeTimeout)).Status
	if got := f.Status.Outcome; got != v1alpha1.ReasonNodeTimedOut {
		t.Fatalf("the outcome is %q", got)
	}
	for _, conditions := range []func(){
		func() {},
		func() {
			meta.FindStatusCondition(f.Status.Conditions, v1alpha1.ConditionSucceeded).Reason = v1alpha1.ReasonHostUnavailable
		},
		func() { meta.RemoveStatusCondition(&f.Status.Conditions, v1alpha1.ConditionSucceeded) },
	} {
		conditions()
		if d := Decide(f, noon.Add(nodeTimeout+time.Minute)); d.Action != MarkHost {
			t.Errorf("then it does %s, with %+v", d, f.Status.Conditions)
		}
	}
}

// TestReasonsAreNotState: conditions are for people. No code reads them.
func TestReasonsAreNotState(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, reads := range []string{"FindStatusCondition(", "IsStatusCondition"} {
			// The conditions of a host are facts.
			if strings.Contains(string(source), reads) && file != "hostfacts.go" {
				t.Errorf("%s goes by a condition: %s", file, reads)
			}
		}
	}
}
