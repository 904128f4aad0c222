package verdict

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// There are few values, so that they often match.
var (
	conditionTypes = []string{"Ready", "Disk", "Net"}
	statuses       = []string{"True", "False", "Unknown"}
	phases         = []string{"", "Pending", "Provisioning", "Provisioning", "Provisioned", "Running", "Deleting", "Failed"}
)

func anyTime() *rapid.Generator[time.Time] {
	minutes := rapid.Custom(func(t *rapid.T) time.Time {
		return ago(time.Duration(rapid.IntRange(-1, 30).Draw(t, "minutes ago")) * time.Minute)
	})
	return rapid.OneOf(minutes, minutes, rapid.Just(time.Time{}))
}

func anyTimeout() *rapid.Generator[time.Duration] {
	return rapid.SampledFrom([]time.Duration{0, time.Minute, 5 * time.Minute, 10 * time.Minute})
}

func anyRules() *rapid.Generator[[]mhcspec.ConditionRule] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) mhcspec.ConditionRule {
		return mhcspec.ConditionRule{
			Type:    rapid.SampledFrom(conditionTypes).Draw(t, "type"),
			Status:  rapid.SampledFrom(statuses).Draw(t, "status"),
			Timeout: anyTimeout().Draw(t, "timeout"),
		}
	}), 0, 4)
}

func anyConditions() *rapid.Generator[[]build.ConditionOption] {
	return rapid.Custom(func(t *rapid.T) []build.ConditionOption {
		var conditions []build.ConditionOption
		for _, conditionType := range rapid.SliceOfDistinct(rapid.SampledFrom(conditionTypes), rapid.ID[string]).Draw(t, "types") {
			status := metav1.ConditionStatus(rapid.SampledFrom(statuses).Draw(t, "status"))
			conditions = append(conditions, build.Condition(conditionType, status, "R", anyTime().Draw(t, "since")))
		}
		return conditions
	})
}

// anyFacts draws a Machine in any state, in a Cluster in any state.
func anyFacts() *rapid.Generator[Facts] {
	return rapid.Custom(func(t *rapid.T) Facts {
		f := facts(machine(build.CreatedAt(anyTime().Draw(t, "created"))), cluster(
			build.Condition("InfrastructureReady", anyStatus(t), "R", anyTime().Draw(t, "infrastructure")),
			build.Condition("ControlPlaneInitialized", anyStatus(t), "R", anyTime().Draw(t, "control plane"))))
		build.InPhase(rapid.SampledFrom(phases).Draw(t, "phase"), anyTime().Draw(t, "since"))(f.Machine)
		for _, c := range anyConditions().Draw(t, "machine conditions") {
			f.Machine.Status.Conditions = append(f.Machine.Status.Conditions, metav1.Condition(c))
		}
		for option, given := range map[string]build.Option{"asked": remediate(), "deleting": deleting()} {
			if rapid.IntRange(0, 9).Draw(t, option) == 0 {
				given(f.Machine)
			}
		}
		f.Rules = mhcspec.Rules{
			StartupTimeout: anyTimeout().Draw(t, "startup"), ResumedAt: anyTime().Draw(t, "resumed"),
			ProvisioningTimeout: anyTimeout().Draw(t, "provisioning"),
			MachineConditions:   anyRules().Draw(t, "machine rules"), NodeConditions: anyRules().Draw(t, "node rules"),
		}
		f.WasHealthy = rapid.Bool().Draw(t, "was healthy")
		f.Node = NodeFacts{State: NodeState(rapid.IntRange(0, 3).Draw(t, "node"))}
		switch f.Node.State {
		case NodeFound:
			f.Node.Node = &corev1.Node{}
			for _, c := range anyConditions().Draw(t, "node conditions") {
				f.Node.Node.Status.Conditions = append(f.Node.Node.Status.Conditions, corev1.NodeCondition{
					Type: corev1.NodeConditionType(c.Type), Status: corev1.ConditionStatus(c.Status), LastTransitionTime: c.LastTransitionTime,
				})
			}
		case NodeUnreadable:
			lost(anyTime().Draw(t, "lost"))(&f)
		case NodeNone, NodeGone:
		}
		return f
	})
}

func anyStatus(t *rapid.T) metav1.ConditionStatus {
	return rapid.SampledFrom([]metav1.ConditionStatus{"True", "True", "True", "False"}).Draw(t, "status")
}

func TestOrderOfConditionsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts().Draw(t, "facts")
		want := Decide(f, now)
		machine := *f.Machine
		machine.Status.Conditions = rapid.Permutation(machine.Status.Conditions).Draw(t, "machine conditions")
		f.Machine = &machine
		if f.Node.Node != nil {
			node := *f.Node.Node
			node.Status.Conditions = rapid.Permutation(node.Status.Conditions).Draw(t, "node conditions")
			f.Node.Node = &node
		}
		if diff := cmp.Diff(want, Decide(f, now)); diff != "" {
			t.Fatalf("in another order (-one +other):\n%s", diff)
		}
	})
}

// TestRecheckIsWhenTheVerdictChanges: the verdict changes exactly when its recheck is due. A requeue at
// any other time would be too early or too late.
func TestRecheckIsWhenTheVerdictChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFacts().Draw(t, "facts")
		before := verdictOf(f, now)
		if before.Recheck < 0 {
			t.Fatalf("the recheck time is %s ago", -before.Recheck)
		}
		if before.Recheck == 0 {
			if later := verdictOf(f, now.Add(24*time.Hour)); later != before {
				t.Fatalf("the verdict is %+v and has no recheck time, but changes to %+v", before, later)
			}
			return
		}
		changes := now.Add(before.Recheck)
		if still := verdictOf(f, changes.Add(-1)); still.in(0) != before.in(0) {
			t.Fatalf("the verdict changes from %+v before its recheck time to %+v", before, still)
		}
		if after := verdictOf(f, changes); after.in(0) == before.in(0) {
			t.Fatalf("the verdict is still %+v at its recheck time", after)
		}
	})
}
