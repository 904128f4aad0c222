package verdict

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// store makes a verdict the Machine's condition.
func store(f *Facts, v verdict, at time.Time) {
	f.Machine = f.Machine.DeepCopy()
	meta.SetStatusCondition(&f.Machine.Status.Conditions, metav1.Condition{
		Type: ConditionType, Status: metav1.ConditionStatus(v.Status), Reason: v.Reason, LastTransitionTime: metav1.NewTime(at),
	})
}

// judgedFor judges a Machine whenever a verdict says so, stores each verdict, and returns after how long it is unhealthy; -1 if it is not for a day.
func judgedFor(f *Facts) time.Duration {
	for after := time.Duration(0); after < 24*time.Hour; {
		v := verdictOf(*f, now.Add(after))
		store(f, v, now.Add(after))
		if v.Status == healthcheck.False {
			return after
		}
		after += max(v.Recheck, time.Second)
	}
	return -1
}

// TestTimesInTheFuture: no time in the future delays a verdict for longer than its timeout from the first look at it.
func TestTimesInTheFuture(t *testing.T) {
	for name, in := range map[string]time.Duration{"an hour": time.Hour, "a year": 365 * 24 * time.Hour} {
		at := now.Add(in)
		for what, c := range map[string]struct {
			facts Facts
			want  time.Duration
		}{
			"a Node condition":             {facts(notReady(at)), 5 * time.Minute},
			"a Machine condition":          {facts(machine(noDisk(at))), 5 * time.Minute},
			"the end of a pause":           {facts(notReady(ago(240*time.Hour)), resumed(at)), 0},
			"a pause, and a Node":          {facts(notReady(at), resumed(at)), 5 * time.Minute},
			"a pause, and the startup":     {facts(machineWithoutNode(), resumed(at)), 0},
			"the Machine's infrastructure": {facts(machineWithoutNode(build.Condition("InfrastructureReady", "True", "R", at))), 0},
			"the control plane":            {facts(machineWithoutNode(), cluster(build.Condition("ControlPlaneInitialized", "True", "R", at))), 0},
		} {
			t.Run(what+" in "+name, func(t *testing.T) {
				if got := judgedFor(&c.facts); got != c.want {
					t.Errorf("unhealthy after %s, want %s", got, c.want)
				}
			})
		}
	}
}

// TestTransitionInTheFutureStays: once found, the condition stays found, although its time is still to come.
func TestTransitionInTheFutureStays(t *testing.T) {
	f := facts(notReady(now.Add(time.Hour)))
	if after := judgedFor(&f); after != 5*time.Minute {
		t.Fatalf("unhealthy after %s", after)
	}
	for _, after := range []time.Duration{5 * time.Minute, 6 * time.Minute, 50 * time.Minute} {
		if v := verdictOf(f, now.Add(after)); v.Status != healthcheck.False || v.Message != nodeNotReady.Message {
			t.Errorf("after %s it is %+v", after, v)
		}
	}
}

// TestTransitionOfAYoungNode: a Machine has waited for its Node for long; the Node's condition counts no earlier than the Node exists.
func TestTransitionOfAYoungNode(t *testing.T) {
	f := facts(node(build.NodeReady("False", now.Add(time.Hour)), build.CreatedAt(ago(time.Minute))),
		machine(build.Condition(ConditionType, "Unknown", "WaitingForNodeRef", ago(9*time.Minute))))
	if v := verdictOf(f, now); v != notYetNode.in(4*time.Minute) {
		t.Errorf("it is %+v", v)
	}
}
