package cycle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestOutcomeIsState: why a cycle ended is stored in a field, and what follows depends on that field, not on conditions.
func TestOutcomeIsState(t *testing.T) {
	f := in(v1alpha1.WaitingForNode, lastAttempt, notOwned)
	f.Status = Decide(f, noon.Add(nodeTimeout)).Status
	if got := f.Status.Outcome; got != v1alpha1.ReasonNodeTimedOut {
		t.Fatalf("the outcome is %q", got)
	}
	for _, conditions := range []func(){
		func() {},
		func() { condition(v1alpha1.ConditionSucceeded, "False", v1alpha1.ReasonHostUnavailable)(&f) },
		func() { meta.RemoveStatusCondition(&f.Status.Conditions, v1alpha1.ConditionSucceeded) },
	} {
		conditions()
		if d := Decide(f, noon.Add(nodeTimeout+time.Minute)); d.Action != MarkHost {
			t.Errorf("then it does %s, with %+v", d, f.Status.Conditions)
		}
	}
}

// forgets makes a record look as if an earlier version, with fewer fields, had stored it.
func forgets(f *Facts) {
	s := &f.Status
	s.SuspendedSince, s.PausedSince, s.UnavailableSince, s.NodeGoneAt, s.NodeReadyAt, s.SingleSteps, s.Outcome = nil, nil, nil, nil, nil, false, ""
}

// TestRecordsOfVersionsBefore: an upgrade neither ends a wait nor takes anything from a Node.
func TestRecordsOfVersionsBefore(t *testing.T) {
	const on, node, cooling, failed = v1alpha1.PoweringOn, v1alpha1.WaitingForNode, v1alpha1.CoolingDown, v1alpha1.Failed
	const day = 24 * time.Hour
	since := func(f *Facts) { f.Node.Node.CreationTimestamp = metav1.NewTime(noon.Add(moment)) }
	servicing := obstacleIs(v1alpha1.ReasonHostServicing)
	check(t, []row{
		{name: "a Node that has registered", facts: in(node, forgets, newNode, since), want: stores(v1alpha1.Restoring, "Restoring")},
		{name: "one that was there all the time", facts: in(node, forgets, newNode), want: waits(node, nodeTimeout)},
		{name: "others let go of the host", facts: in(on, off, forgets, hostSays(v1alpha1.ReasonHeldByOthers)), after: day, want: stores(on, "PoweringOn").lookingAgain(day + powerOnTimeout)},
		{name: "others hold it", facts: in(on, off, others, forgets, hostSays(v1alpha1.ReasonHeldByOthers)), after: day, want: stores(on, "PoweringOn")},
		{name: "a person lets the host come on", facts: in(on, off, forgets, hostSays(v1alpha1.ReasonSuspendedByUser)), after: day, want: stores(on, "PoweringOn").lookingAgain(day + powerOnTimeout)},
		{name: "nobody waits for it any more", facts: in(on, off, others, forgets, deleting, hostSays(v1alpha1.ReasonHeldByOthers)), after: day, want: stores(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable)},
		{name: "its firmware is done", facts: in(node, forgets, nodeGone, hostSays(v1alpha1.ReasonHostServicing)), after: day, want: stores(node, "WaitingForNode")},
		{name: "its firmware is not", facts: in(node, forgets, nodeGone, servicing, hostSays(v1alpha1.ReasonHostServicing)), after: day, want: stores(node, "WaitingForNode")},
		{name: "a host that takes too long", facts: in(on, off, forgets), after: powerOnTimeout, want: stores(cooling, "CoolingDown")},
		{name: "the end is the end", facts: in(failed, forgets, notOwned, condition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonNodeTimedOut)), want: does(failed, MarkHost).saying(v1alpha1.ReasonNodeTimedOut)},
	})
}

// TestReasonsAreNotState: conditions are for people. Code reads them only for what earlier versions stored there.
func TestReasonsAreNotState(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if file == "older.go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, reads := range []string{"reasonOf(", "FindStatusCondition(", "IsStatusCondition"} {
			// The conditions of a host are facts.
			if strings.Contains(string(source), reads) && file != "hostfacts.go" {
				t.Errorf("%s goes by a condition: %s", file, reads)
			}
		}
	}
}
