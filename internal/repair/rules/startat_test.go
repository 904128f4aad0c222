package rules_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
)

// answer is what StartAt returns.
type answer struct{ Step, Rule, Err string }

func startAt(t rapid.TB, in rules.Input, all ...v1alpha1.RemediationRule) answer {
	t.Helper()
	compiled, err := rules.Compile(plan(all...))
	if err != nil {
		t.Fatal(err)
	}
	step, rule, err := compiled.StartAt(in)
	if err != nil {
		return answer{step, rule, err.Error()}
	}
	return answer{step, rule, ""}
}

func TestStartAt(t *testing.T) {
	gpu := rules.Input{
		Findings: []rules.Finding{{Source: "Node", Type: "GpuMemWatch", Status: "True", Reason: "GpuMemWatchIsNotHealthy", Message: "GPU:0"}},
		Machine: rules.Machine{
			Name: "m", Labels: map[string]string{"pool": "gpu"}, FailureDomain: "z1", ControlPlane: true,
			Annotations: map[string]string{"cycles": "4"}, Owner: rules.Owner{Kind: "MachineSet", Name: "md-0"},
		},
		Attempts: []rules.Attempt{{Step: "reboot", Result: "TimedOut"}, {Step: "reboot"}},
	}
	long := rules.Input{}
	for range 1000 {
		long.Findings = append(long.Findings, rules.Finding{Message: strings.Repeat("x", 1000)})
	}
	no := rule("no", "false", "hold")
	tests := map[string]struct {
		in    rules.Input
		rules []v1alpha1.RemediationRule
		want  answer
	}{
		"no rules":             {gpu, nil, answer{}},
		"none is true":         {gpu, []v1alpha1.RemediationRule{no, no}, answer{}},
		"the first that is":    {gpu, []v1alpha1.RemediationRule{no, rule("a", "true", "reboot"), rule("b", "true", "replace")}, answer{"reboot", "a", ""}},
		"a finding":            {gpu, []v1alpha1.RemediationRule{rule("a", "findings.exists(f, f.source == 'Node' && f.type == 'GpuMemWatch' && f.status == 'True' && f.reason != f.message)", "reboot")}, answer{"reboot", "a", ""}},
		"no findings":          {rules.Input{}, []v1alpha1.RemediationRule{rule("a", "findings.size() == 0 && attempts == [] && machine.name == ''", "wait")}, answer{"wait", "a", ""}},
		"the machine":          {gpu, []v1alpha1.RemediationRule{rule("a", "machine.name == 'm' && machine.labels.pool == 'gpu' && machine.failureDomain == 'z1' && machine.controlPlane", "hold")}, answer{"hold", "a", ""}},
		"its owner":            {gpu, []v1alpha1.RemediationRule{rule("a", "machine.owner.kind == 'MachineSet' && machine.owner.name == 'md-0'", "hold")}, answer{"hold", "a", ""}},
		"annotations":          {gpu, []v1alpha1.RemediationRule{rule("a", "int(machine.annotations['cycles']) > 3", "hold")}, answer{"hold", "a", ""}},
		"attempts":             {gpu, []v1alpha1.RemediationRule{rule("a", "attempts.exists(a, a.step == 'reboot' && a.result == 'TimedOut') && attempts[1].result == ''", "replace")}, answer{"replace", "a", ""}},
		"an optional label":    {gpu, []v1alpha1.RemediationRule{rule("a", "machine.labels[?'rack'].orValue('none') == 'none'", "wait")}, answer{"wait", "a", ""}},
		"a label that is not":  {gpu, []v1alpha1.RemediationRule{no, rule("rack", "machine.labels['rack'] == 'r1'", "wait")}, answer{Err: "rule rack cannot be evaluated: 1:15: no such key: rack"}},
		"labels of none":       {rules.Input{}, []v1alpha1.RemediationRule{rule("rack", "machine.labels['rack'] == 'r1'", "wait")}, answer{Err: "rule rack cannot be evaluated: 1:15: no such key: rack"}},
		"an error after that":  {gpu, []v1alpha1.RemediationRule{rule("a", "true", "wait"), rule("rack", "machine.labels['rack'] == 'r1'", "wait")}, answer{"wait", "a", ""}},
		"true whatever it is":  {gpu, []v1alpha1.RemediationRule{rule("a", "machine.labels['rack'] == 'r1' || machine.controlPlane", "wait")}, answer{"wait", "a", ""}},
		"no finding at all":    {rules.Input{}, []v1alpha1.RemediationRule{rule("a", "findings[0].type == 'Ready'", "wait")}, answer{Err: "rule a cannot be evaluated: 1:12: index out of bounds: 0"}},
		"no number":            {gpu, []v1alpha1.RemediationRule{rule("a", "int(machine.name) > 3", "wait")}, answer{Err: `rule a cannot be evaluated: 1:4: type conversion error from 'string' to 'int'`}},
		"too expensive for it": {long, []v1alpha1.RemediationRule{rule("a", "findings.exists(f, f.message.matches('(a|b|c|d)y'))", "wait")}, answer{Err: "rule a cannot be evaluated: it costs more than 100000 for this machine"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, startAt(t, tt.in, tt.rules...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestStartAtAsksInOrder: the first rule that is true or cannot be evaluated decides, whatever comes after it.
func TestStartAtAsksInOrder(t *testing.T) {
	outcomes := map[string]string{"true": "true", "false": "false", "error": "machine.labels['none'] == ''"}
	rapid.Check(t, func(t *rapid.T) {
		drawn := rapid.SliceOfN(rapid.SampledFrom([]string{"true", "false", "error"}), 0, 6).Draw(t, "outcomes")
		steps := rapid.SliceOfN(rapid.SampledFrom([]string{"wait", "reboot", "replace", "hold"}), len(drawn), len(drawn)).Draw(t, "steps")
		want := answer{}
		var all []v1alpha1.RemediationRule
		for i, outcome := range drawn {
			name := string(rune('a' + i))
			all = append(all, rule(name, outcomes[outcome], steps[i]))
			if want != (answer{}) || outcome == "false" {
				continue
			}
			want = answer{Step: steps[i], Rule: name}
			if outcome == "error" {
				want = answer{Err: "rule " + name + " cannot be evaluated: 1:15: no such key: none"}
			}
		}
		if diff := cmp.Diff(want, startAt(t, rules.Input{}, all...)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestConcurrently uses the same rules from many goroutines.
func TestConcurrently(t *testing.T) {
	compiled, err := rules.Compile(plan(rule("a", "findings.exists(f, f.type == 'Ready')", "wait"), rule("b", "machine.controlPlane", "hold")))
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 16 {
		in, want := rules.Input{Findings: []rules.Finding{{Type: "Ready"}}}, "wait"
		if i%2 == 0 {
			in, want = rules.Input{Machine: rules.Machine{ControlPlane: true}}, "hold"
		}
		wait.Go(func() {
			for range 20 {
				if step, _, err := compiled.StartAt(in); step != want || err != nil {
					t.Errorf("got %q, %v, want %q", step, err, want)
				}
			}
		})
	}
	wait.Wait()
}
