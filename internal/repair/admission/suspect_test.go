package admission

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestSuspect: when so many Nodes show a condition that its detector may be wrong. Each of the Nodes shows A, shows B, is fine, is gone, or cannot be
// read. On some, A comes and goes.
func TestSuspect(t *testing.T) {
	const a, b = "A is False or Unknown on 2 of 2 Nodes at once, more than 50%: ...", "B is False on 2 of 3 Nodes, and was on more than 50%: ..."
	for name, tt := range map[string]struct {
		nodes, before string
		want          []string
	}{
		"none":                                 {"....", "", nil},
		"it comes and goes":                    {"fff.", "", []string{"A"}},
		"it comes and goes on some":            {"aff.", "", []string{"A"}},
		"it is not there on one now":           {"aaaf", "", []string{"A"}},
		"half":                                 {"aa..", "", nil},
		"more than half":                       {"aaa.", "", []string{"A"}},
		"both":                                 {"cc", "", []string{"A", "B"}},
		"the only Node":                        {"a", "", nil},
		"the only one that is there":           {"a--", "", nil},
		"two, of those that are there":         {"aa--", "", []string{"A"}},
		"fewer than before":                    {"a...", a, []string{"A"}},
		"none any more":                        {"....", a, nil},
		"nobody knows whether any more":        {"...?", a, []string{"A"}},
		"another one than before":              {"a...", b, nil},
		"both are read from what was said":     {"ab..", a + ". " + b, []string{"A", "B"}},
		"what was said of a lower limit":       {"a...", "A is False on 2 of 2 Nodes at once, more than 40%: ...", nil},
		"what was said of a higher limit":      {"a...", "A is False on 2 of 2 Nodes at once, more than 60%: ...", []string{"A"}},
		"what nobody can read was never there": {"a...", "A may be wrong", nil},
	} {
		t.Run(name, func(t *testing.T) {
			mhc := build.MachineHealthCheck(ns, "mhc", build.Annotation(mhcspec.SignalsAnnotation, "{A: {maxShare: 50%, flaps: 2, flapWindow: 1h}, B: {maxShare: 50%}}"),
				build.UnhealthyNodeCondition("A", corev1.ConditionFalse, time.Minute), build.UnhealthyNodeCondition("B", corev1.ConditionFalse, time.Minute),
				build.UnhealthyNodeCondition("A", corev1.ConditionUnknown, time.Minute))
			if tt.before != "" {
				mhc.Status.Conditions = append(mhc.Status.Conditions, metav1.Condition{Type: ConditionSignalsTrusted, Status: metav1.ConditionFalse, Message: tt.before})
			}
			health := map[*clusterv1.Machine]verdict.Facts{}
			f := facts(mhc)
			for i, is := range tt.nodes {
				one := sick(string(rune('a' + i)))
				f.Targets, health[one.Machine] = append(f.Targets, one), nodeThat(is, one.Machine, mhc)
			}
			err := f.Suspect(now, func(machine *clusterv1.Machine) (verdict.Facts, error) { return health[machine], nil })
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range f.Shares {
				if s.Suspect {
					got = append(got, s.Type)
				}
			}
			if len(f.Shares) != 2 || !slices.Equal(got, tt.want) {
				t.Errorf("suspects are %q of %+v, want %q", got, f.Shares, tt.want)
			}
			for i, is := range tt.nodes {
				want := strings.ContainsRune("acf", is) && slices.Contains(tt.want, "A") || strings.ContainsRune("bc", is) && slices.Contains(tt.want, "B")
				if suspected := f.Targets[i].Suspected != ""; suspected != want {
					t.Errorf("the machine of Node %d is suspected: %t", i, suspected)
				}
			}
		})
	}
}

func nodeThat(is rune, machine *clusterv1.Machine, mhc *clusterv1.MachineHealthCheck) verdict.Facts {
	if is == 'f' {
		flaps := "Remembered: A=False before seen at " + ago(30*time.Minute).Format(time.RFC3339) + ", " + ago(10*time.Minute).Format(time.RFC3339)
		machine.Status.Conditions = append(machine.Status.Conditions, metav1.Condition{Type: verdict.TrustConditionType, Status: metav1.ConditionTrue, Message: flaps})
	}
	health := verdict.Facts{Machine: machine, Cluster: build.Cluster(ns, build.ClusterName), Rules: mhcspec.RulesOf(mhc)}
	shows := func(types ...string) verdict.NodeFacts {
		node := build.Node(machine.Name)
		for _, one := range types {
			node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeConditionType(one), Status: corev1.ConditionFalse})
		}
		return verdict.NodeFacts{State: verdict.NodeFound, Node: node}
	}
	health.Node = map[rune]verdict.NodeFacts{
		'a': shows("A"), 'b': shows("B"), 'c': shows("A", "B"), '.': shows(), 'f': shows(), '-': {State: verdict.NodeGone}, '?': {State: verdict.NodeUnreadable},
	}[is]
	return health
}

// TestAnotherSuspectChangesAbility: a check that shares machines must look again when one more type is suspect, but not for each Node more.
func TestAnotherSuspectChangesAbility(t *testing.T) {
	said := func(message string) [4]string {
		mhc := build.MachineHealthCheck(ns, "mhc")
		mhc.Status.Conditions = []metav1.Condition{{Type: ConditionSignalsTrusted, Status: metav1.ConditionFalse, Reason: ReasonSignalSuspected, Message: message}}
		return AbilityOf(mhc)
	}
	const two, three, other = "A is False on 2 of 3 Nodes at once, more than 50%", "A is False on 3 of 3 Nodes at once, more than 50%", "B is False on 2 of 3 Nodes at once, more than 50%"
	if said(two) != said(three) {
		t.Error("one Node more changes it")
	}
	if said(two) == said(two+". "+other) {
		t.Error("another suspect does not change it")
	}
}
