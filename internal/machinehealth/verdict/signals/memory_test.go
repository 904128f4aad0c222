package signals

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

var epoch = build.Epoch

func anyRules() *rapid.Generator[[]mhcspec.ConditionRule] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) mhcspec.ConditionRule {
		rule := mhcspec.ConditionRule{Type: rapid.SampledFrom([]string{"Ready", "example.com/gpu-ok"}).Draw(t, "type"), Status: rapid.SampledFrom([]string{"False", "Unknown", "not; so"}).Draw(t, "status")}
		rule.Trust.FirstSeen = rapid.Bool().Draw(t, "first seen")
		if rapid.Bool().Draw(t, "boot") {
			rule.Trust.BootGrace = 5 * time.Minute
		}
		if rapid.Bool().Draw(t, "flaps") {
			rule.Trust.Flaps, rule.Trust.FlapWindow = rapid.IntRange(2, 4).Draw(t, "flaps"), time.Hour
		}
		return rule
	}), 0, 4)
}

func anyNode() *rapid.Generator[*corev1.Node] {
	return rapid.Custom(func(t *rapid.T) *corev1.Node {
		node := build.Node("n")
		node.Status.Conditions = nil
		node.Status.NodeInfo.BootID = rapid.SampledFrom([]string{"", "a", "5f2c9d1e-8a4b-4c6d-9e0f-1a2b3c4d5e6f"}).Draw(t, "boot")
		for _, conditionType := range []corev1.NodeConditionType{"Ready", "example.com/gpu-ok"} {
			if status := rapid.SampledFrom([]corev1.ConditionStatus{"", "True", "False", "Unknown"}).Draw(t, "status"); status != "" {
				since := metav1.NewTime(epoch.Add(time.Duration(rapid.IntRange(-90, 90).Draw(t, "since")) * time.Minute))
				node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: conditionType, Status: status, LastTransitionTime: since})
			}
		}
		return node
	})
}

// TestRestartsForgetNothing: a memory that was stored and read at each look, as after a restart, is the same as one that was kept. To remember the
// same Node once more changes nothing, nor does the order of the rules.
func TestRestartsForgetNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := anyRules().Draw(t, "rules")
		var kept, stored Memory
		now := epoch
		for range rapid.IntRange(1, 12).Draw(t, "looks") {
			node := anyNode().Draw(t, "node")
			one := kept.Remember(rules, node, now)
			other := stored.Remember(rapid.Permutation(rules).Draw(t, "order"), node, now)
			if diff := cmp.Diff(one, other, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("after a restart (-without +with):\n%s", diff)
			}
			if diff := cmp.Diff(one, one.Remember(rules, node, now), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("remembered once more (-once +twice):\n%s", diff)
			}
			read, ok := Parse("Node condition Ready is False. " + one.String())
			if diff := cmp.Diff(one, read, cmpopts.EquateEmpty()); diff != "" || !ok {
				t.Fatalf("%q is read as (-written +read):\n%s", one.String(), diff)
			}
			kept, stored = one, read
			now = now.Add(time.Duration(rapid.IntRange(0, 40*60_000).Draw(t, "milliseconds")) * time.Millisecond)
		}
	})
}

// TestMemoryStaysSmall: it grows neither with time nor with the number of changes.
func TestMemoryStaysSmall(t *testing.T) {
	rule := mhcspec.ConditionRule{Type: "Ready", Status: "False", Trust: mhcspec.Trust{Flaps: 20, FlapWindow: 24 * time.Hour, BootGrace: time.Minute}}
	var memory Memory
	for i := range 1000 {
		status := metav1.ConditionTrue
		if i%2 == 0 {
			status = metav1.ConditionFalse
		}
		now := epoch.Add(time.Duration(i) * time.Minute)
		memory = memory.Remember([]mhcspec.ConditionRule{rule}, build.Node("n", build.NodeReady(status, now)), now)
	}
	if text := memory.String(); len(text) > 600 {
		t.Errorf("it takes %d bytes: %s", len(text), text)
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]bool{
		"":                 true,
		"whatever is said": true,
		"x. Remembered: boot=5f2c9d1e seen at 2026-11-29T10:00:00Z; Ready=False seen at 2026-11-29T10:00:00Z, 2026-11-29T11:00:00Z": true,
		"Remembered: Ready=False before seen at 2026-11-29T10:00:00Z":                                                               true,
		"Remembered: Ready=False not seen":                                        true,
		"Remembered: Ready not seen":                                              false,
		"Remembered: ":                                                            false,
		"Remembered: boot=5f2c9d1e":                                               false,
		"Remembered: boot=5f2c9d1e seen at noon":                                  false,
		"Remembered: Ready seen at 2026-11-29T10:00:00Z":                          false,
		"Remembered: Ready=False later seen at 2026-11-29T10:00:00Z":              false,
		"Remembered: Ready=False seen at ":                                        false,
		"Remembered: Ready=False seen at 2026-11-29T10:00:00Z and the rest, too.": false,
	} {
		memory, ok := Parse(text)
		if ok != want {
			t.Errorf("%q can be read: %t", text, ok)
		}
		if rest := memory.String(); ok && rest != "" && !strings.HasSuffix(text, rest) {
			t.Errorf("%q is read as %q", text, rest)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("Remembered: boot=a seen at 2026-11-29T10:00:00Z; Ready=False seen at 2026-11-29T10:00:00Z")
	f.Fuzz(func(t *testing.T, text string) {
		memory, ok := Parse(text)
		if again, still := Parse(memory.String()); ok && (!still || cmp.Diff(memory, again) != "") {
			t.Errorf("%q is read as %+v, and then as %+v", text, memory, again)
		}
	})
}
