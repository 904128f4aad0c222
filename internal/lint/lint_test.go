package lint

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// fleet returns a fleet with that many machines in each pool of cluster blue; those of the pool planned run on
// bare metal.
func fleet(pools map[string]int) *Fleet {
	f := &Fleet{Namespace: "default"}
	for pool, n := range pools {
		for i := range n {
			machine := build.Machine("default", fmt.Sprintf("%s-%d", pool, i), build.InCluster("blue"), build.Label("pool", pool))
			if pool == "metal" || pool == "planned" {
				machine.Spec.InfrastructureRef.Kind = metal
			}
			if pool == "workers" {
				machine.Labels["zone"] = string(rune('a' + i))
			}
			f.Machines = append(f.Machines, *machine)
		}
	}
	f.HealthChecks = []clusterv1.MachineHealthCheck{*build.MachineHealthCheck("default", "elsewhere", build.InCluster("blue"),
		build.Selector(map[string]string{"pool": "metal"}))}
	return f
}

func lint(t testing.TB, file string, data []byte, f *Fleet) Result {
	t.Helper()
	documents, bad := manifest.Parse(file, data)
	result, err := Check(documents, bad, f)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func report(r Result) string {
	var b strings.Builder
	for _, one := range r.Findings {
		fmt.Fprintln(&b, one)
	}
	for _, one := range r.Skipped {
		fmt.Fprintf(&b, "%s:%d: skipped: %s\n", one.File, one.Node.Line, one.Title())
	}
	for _, one := range r.Unchecked {
		fmt.Fprintf(&b, "unchecked: %s\n", one)
	}
	return b.String()
}

// TestGolden shows the findings, without and with a fleet.
func TestGolden(t *testing.T) {
	live := fleet(map[string]int{"workers": 2, "metal": 2, "planned": 3})
	for _, file := range []string{"refused", "dangerous", "annotations"} {
		data := []byte(docs.Text(t, "testdata/"+file+".yaml"))
		t.Run(file, func(t *testing.T) {
			docs.File(t, "testdata/"+file+".golden", report(lint(t, file+".yaml", data, nil)))
		})
		t.Run(file+", live", func(t *testing.T) {
			docs.File(t, "testdata/"+file+"-live.golden", report(lint(t, file+".yaml", data, live)))
		})
	}
}

const one = `apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata:
  name: blue
  namespace: default
spec:
  clusterName: blue
  selector: {matchLabels: {pool: workers}}
  checks: {unhealthyNodeConditions: [{type: Ready, status: Unknown, timeoutSeconds: 300}]}
  remediation: {triggerIf: {%s}}
`

// TestLimitOnFleet: what a limit means depends on the number of machines, and is exact.
func TestLimitOnFleet(t *testing.T) {
	for name, tt := range map[string]struct {
		trigger  string
		machines int
		want     string
	}{
		"40% of 2":     {"unhealthyLessThanOrEqualTo: 40%", 2, "40% of 2 Machines is 0: nothing is ever repaired"},
		"40% of 3":     {"unhealthyLessThanOrEqualTo: 40%", 3, ""},
		"33% of 3":     {"unhealthyLessThanOrEqualTo: 33%", 3, "33% of 3 Machines is 0: nothing is ever repaired"},
		"3 of 3":       {"unhealthyLessThanOrEqualTo: 3", 3, "3 is no limit for the 3 Machines that there are"},
		"2 of 3":       {"unhealthyLessThanOrEqualTo: 2", 3, ""},
		"1 of 1":       {"unhealthyLessThanOrEqualTo: 1", 1, ""},
		"0":            {"unhealthyLessThanOrEqualTo: 0", 3, "0 means that nothing is ever repaired"},
		"[3-5] of 2":   {`unhealthyInRange: "[3-5]"`, 2, "[3-5] begins above the 2 Machines that there are"},
		"[3-5] of 6":   {`unhealthyInRange: "[3-5]"`, 6, ""},
		"[3-5] of 5":   {`unhealthyInRange: "[3-5]"`, 5, "[3-5] is no limit for the 5 Machines that there are"},
		"none":         {"unhealthyLessThanOrEqualTo: 100%", 5, "100% is no limit"},
		"no machines":  {"unhealthyLessThanOrEqualTo: 40%", 0, "it selects no Machine of cluster blue in namespace default"},
		"range rules":  {`unhealthyLessThanOrEqualTo: 1, unhealthyInRange: "[1-2]"`, 5, "it is ignored"},
		"not readable": {`unhealthyLessThanOrEqualTo: most`, 5, `is "most": it must be a number or a percentage`},
	} {
		t.Run(name, func(t *testing.T) {
			found := lint(t, "mhc.yaml", fmt.Appendf(nil, one, tt.trigger), fleet(map[string]int{"workers": tt.machines})).Findings
			if tt.want == "" {
				if len(found) > 0 {
					t.Errorf("found %v", found)
				}
				return
			}
			if len(found) != 1 || !strings.Contains(found[0].Message, tt.want) || found[0].Line < 8 {
				t.Errorf("found %v, want %q", found, tt.want)
			}
		})
	}
}

// TestSameWords: lint rejects what Sickbay rejects, with the message of the condition that the controller writes.
func TestSameWords(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(one, `unhealthyInRange: "[5-3]"`), "  name: blue\n", "  name: blue\n  annotations: {sickbay.dev/max-in-flight: lots, sickbay.dev/dry-run: perhaps}\n", 1)
	documents, _ := manifest.Parse("mhc.yaml", []byte(text))
	var mhc clusterv1.MachineHealthCheck
	if err := decode(documents[0].Objects[0].Value, &mhc); err != nil {
		t.Fatal(err)
	}
	d := admission.Decide(admission.Facts{MachineHealthCheck: &mhc, Cluster: build.Cluster("default", "blue")}, build.Epoch)
	var said []string
	for _, found := range lint(t, "mhc.yaml", []byte(text), nil).Findings {
		field := found.Field
		if annotation, ok := strings.CutPrefix(field, "metadata.annotations["); ok {
			field = "annotation " + strings.TrimSuffix(annotation, "]")
		}
		said = append(said, field+" "+strings.TrimPrefix(found.Message, "it "))
	}
	if len(said) != 3 {
		t.Errorf("lint says %q", said)
	}
	for _, sentence := range said {
		if !strings.Contains(d.Stopped.Message, sentence) {
			t.Errorf("lint says %q, and the controller %q", sentence, d.Stopped.Message)
		}
	}
}

// TestManyMachines: many checks of many machines take seconds.
func TestManyMachines(t *testing.T) {
	pools, text := map[string]int{}, ""
	for i := range 100 {
		pool := fmt.Sprintf("pool-%d", i)
		pools[pool] = 100
		text += strings.NewReplacer("workers", pool, "name: blue", "name: "+pool).Replace(fmt.Sprintf(one, "unhealthyLessThanOrEqualTo: 40%")) + "---\n"
	}
	if found := lint(t, "mhcs.yaml", []byte(text), fleet(pools)).Findings; len(found) > 0 {
		t.Errorf("found %v", found[0])
	}
}

// TestTogether: contradictions are found, and nothing else counts as one.
func TestTogether(t *testing.T) {
	requirement := func(operator metav1.LabelSelectorOperator, values ...string) metav1.LabelSelectorRequirement {
		return metav1.LabelSelectorRequirement{Key: "a", Operator: operator, Values: values}
	}
	for name, tt := range map[string]struct {
		a, b    metav1.LabelSelectorRequirement
		nothing bool
	}{
		"exists and not":         {requirement("Exists"), requirement("DoesNotExist"), true},
		"a value and not":        {requirement("In", "x"), requirement("DoesNotExist"), true},
		"two values":             {requirement("In", "x"), requirement("In", "y"), true},
		"a value, ruled out":     {requirement("In", "x"), requirement("NotIn", "x", "y"), true},
		"values in common":       {requirement("In", "x", "y"), requirement("In", "y", "z"), false},
		"one left":               {requirement("In", "x", "y"), requirement("NotIn", "x"), false},
		"ruled out and not":      {requirement("NotIn", "x"), requirement("DoesNotExist"), false},
		"ruled out and there":    {requirement("NotIn", "x"), requirement("Exists"), false},
		"twice the same":         {requirement("In", "x"), requirement("In", "x"), false},
		"twice that it is not":   {requirement("DoesNotExist"), requirement("DoesNotExist"), false},
		"two that are ruled out": {requirement("NotIn", "x"), requirement("NotIn", "y"), false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, both := range [][]metav1.LabelSelectorRequirement{{tt.a, tt.b}, {tt.b, tt.a}} {
				mhc := build.MachineHealthCheck("default", "a")
				mhc.Spec.Selector = metav1.LabelSelector{MatchExpressions: both}
				if got := contradiction(mhc) != ""; got != tt.nothing {
					t.Errorf("contradiction of %v is %t, want %t", both, got, tt.nothing)
				}
			}
		})
	}
}

// TestLabelsOfRules: a rule about a label that no Machine of its namespace has is probably misspelt.
func TestLabelsOfRules(t *testing.T) {
	const planned = `apiVersion: sickbay.dev/v1alpha1
kind: MachineRemediationTemplate
metadata: {name: plan, namespace: %s}
spec:
  template:
    spec:
      steps:
      - {name: replace, action: Replace, timeoutSeconds: 600}
      rules:
      - {name: gpu, expression: "%s", startAt: replace}
`
	for name, tt := range map[string]struct {
		namespace, expression string
		fleet                 *Fleet
		want                  string
	}{
		"there":              {"default", "machine.labels[?'pool'].orValue('') == 'gpu'", fleet(map[string]int{"workers": 1}), ""},
		"misspelt":           {"default", "'pol' in machine.labels", fleet(map[string]int{"workers": 1}), "rule gpu is about the label pol, which no Machine in namespace default has: correct the label, or put it on the Machines"},
		"no Machines":        {"default", "'pol' in machine.labels", fleet(nil), ""},
		"Machines elsewhere": {"other", "'pol' in machine.labels", fleet(map[string]int{"workers": 1}), ""},
		"no look":            {"default", "'pol' in machine.labels", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			onlyWarning(t, lint(t, "plan.yaml", fmt.Appendf(nil, planned, tt.namespace, tt.expression), tt.fleet), tt.want)
		})
	}
}

// TestExamples: the project's own examples have no errors.
func TestExamples(t *testing.T) {
	for file, text := range docs.Texts(t, "../../examples/*.yaml", "../../examples/plans/*.yaml") {
		for _, found := range lint(t, filepath.Base(file), []byte(text), nil).Findings {
			if found.Level == Error {
				t.Error(found)
			}
		}
	}
}

// corpus returns files of all dialects.
func corpus(t testing.TB) (texts []string) {
	t.Helper()
	for _, text := range docs.Texts(t, "testdata/*.yaml", "../convert/testdata/*.yaml") {
		texts = append(texts, text)
	}
	return texts
}

// holds returns what is wrong with lint's result for a text; empty if nothing is.
func holds(t testing.TB, text string, live *Fleet) string {
	t.Helper()
	lines := strings.Count(text, "\n") + 1
	found := lint(t, "text.yaml", []byte(text), nil).Findings
	if problem := unconfirmed(text, found); problem != "" {
		return problem + " in\n" + text
	}
	for _, one := range append(found, lint(t, "text.yaml", []byte(text), live).Findings...) {
		if one.Line < 1 || one.Line > lines || one.Message == "" {
			return fmt.Sprintf("found %+v in\n%s", one, text)
		}
	}
	return ""
}

// TestWhateverIsThere: missing, duplicate or changed lines cause no panic, and each finding has its line.
func TestWhateverIsThere(t *testing.T) {
	texts, live := corpus(t), fleet(map[string]int{"workers": 2, "metal": 2})
	rapid.Check(t, func(rt *rapid.T) {
		if problem := holds(t, change(rt, rapid.SampledFrom(texts).Draw(rt, "text")), live); problem != "" {
			rt.Fatal(problem)
		}
	})
}

// FuzzCheck is the same for any file content.
func FuzzCheck(f *testing.F) {
	for _, text := range corpus(f) {
		f.Add(text)
	}
	live := fleet(map[string]int{"workers": 2, "metal": 2})
	f.Fuzz(func(t *testing.T, text string) {
		if problem := holds(t, text, live); problem != "" {
			t.Fatal(problem)
		}
	})
}
