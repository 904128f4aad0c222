package mhcspec

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestSignals(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want map[string]Trust
		err  string
	}{
		"all settings": {
			"GpuHealthy: {silentAfter: 15m, bootGrace: 5m, clock: FirstSeen, flaps: 3, flapWindow: 1h, maxShare: 60%}",
			map[string]Trust{"GpuHealthy": {
				SilentAfter: 15 * time.Minute, BootGrace: 5 * time.Minute, FirstSeen: true, Flaps: 3, FlapWindow: time.Hour, MaxShare: 60,
			}}, "",
		},
		"several types":       {"A: {silentAfter: 15m}\nexample.com/b: {clock: LastTransition}", map[string]Trust{"A": {SilentAfter: 15 * time.Minute}, "example.com/b": {}}, ""},
		"nothing":             {"", map[string]Trust{}, ""},
		"no YAML":             {"{", nil, "it must be YAML like {GpuHealthy: {silentAfter: 15m}}"},
		"no map":              {"GpuHealthy: 15m", nil, "it must be YAML like {GpuHealthy: {silentAfter: 15m}}"},
		"twice":               {"A: {clock: FirstSeen}\nA: {clock: FirstSeen}", nil, "it must be YAML like {GpuHealthy: {silentAfter: 15m}}"},
		"unknown":             {"A: {silent: 15m}", nil, "A: there is no setting \"silent\", only bootGrace, clock, flapWindow, flaps, maxShare, silentAfter"},
		"no duration":         {"A: {silentAfter: 15}", nil, `A: silentAfter is "15": it must be a duration like 30m or 1h30m`},
		"no time at all":      {"A: {bootGrace: 0s}", nil, `A: bootGrace is "0s": it must be a duration like 30m or 1h30m`},
		"no clock":            {"A: {clock: Now}", nil, `A: clock is "Now": it must be FirstSeen or LastTransition`},
		"one flap":            {"A: {flaps: 1, flapWindow: 1h}", nil, `A: flaps is "1": it must be a number from 2 to 20`},
		"many flaps":          {"A: {flaps: 21, flapWindow: 1h}", nil, `A: flaps is "21": it must be a number from 2 to 20`},
		"flaps, no window":    {"A: {flaps: 3}", nil, "A: flaps and flapWindow belong together"},
		"window, no flaps":    {"A: {flapWindow: 1h}", nil, "A: flaps and flapWindow belong together"},
		"a number of Nodes":   {"A: {maxShare: 3}", nil, `A: maxShare is "3": it must be a percentage from 1% to 100%`},
		"more than all Nodes": {"A: {maxShare: 101%}", nil, `A: maxShare is "101%": it must be a percentage from 1% to 100%`},
		"no type":             {`"Gpu Healthy": {clock: FirstSeen}`, nil, `"Gpu Healthy" is no condition type`},
	} {
		t.Run(name, func(t *testing.T) {
			mhc := build.MachineHealthCheck("ns", "mhc", build.Annotation(SignalsAnnotation, tt.text),
				build.UnhealthyNodeCondition("GpuHealthy", corev1.ConditionFalse, time.Minute), build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, time.Minute))
			got, err := Signals(mhc)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
			if tt.err == "" {
				if err != nil {
					t.Fatal(err)
				}
			} else if err == nil || err.Error() != tt.err {
				t.Errorf("the error is %v, want %s", err, tt.err)
			}
			// What cannot be read counts as not set, and stops repairs.
			_, problems := ParseConfig(mhc, nil)
			if (len(problems) == 1) != (tt.err != "") {
				t.Errorf("problems are %q", problems)
			}
			rules := RulesOf(mhc).NodeConditions
			if rules[0].Trust != tt.want["GpuHealthy"] || rules[1].Trust != (Trust{}) {
				t.Errorf("rules are %+v", rules)
			}
		})
	}
}

func TestWithout(t *testing.T) {
	rules := Rules{NodeConditions: []ConditionRule{{Type: "A", Status: "False"}, {Type: "B", Status: "False"}, {Type: "A", Status: "Unknown"}}}
	if diff := cmp.Diff([]ConditionRule{{Type: "B", Status: "False"}}, rules.Without([]string{"A"}).NodeConditions); diff != "" {
		t.Errorf("rules without A (-want +got):\n%s", diff)
	}
	if len(rules.NodeConditions) != 3 {
		t.Error("the rules have changed")
	}
}
