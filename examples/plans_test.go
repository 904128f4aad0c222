package examples_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// example is a plan and its MachineHealthCheck.
type example struct {
	template v1alpha1.MachineRemediationTemplate
	check    clusterv1.MachineHealthCheck
}

// documents reads a file of several YAML documents.
func documents(t *testing.T, file string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	for document := range bytes.SplitSeq(data, []byte("\n---\n")) {
		var fields map[string]any
		if err := yaml.UnmarshalStrict(document, &fields); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, fields)
	}
	return all
}

func into(t *testing.T, fields map[string]any, obj any) {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(fields, obj, true); err != nil {
		t.Fatal(err)
	}
}

func planOf(t *testing.T, name string) example {
	t.Helper()
	all := documents(t, filepath.Join("plans", name+".yaml"))
	if len(all) != 2 {
		t.Fatalf("%s has %d documents, not a plan and a MachineHealthCheck", name, len(all))
	}
	var e example
	into(t, all[0], &e.template)
	into(t, all[1], &e.check)
	return e
}

// TestPlans: the API server accepts each plan with its MachineHealthCheck, and Sickbay can use it.
func TestPlans(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	files, err := filepath.Glob("plans/*.yaml")
	if err != nil || len(files) != len(plays) {
		t.Fatalf("found %d plans, and %d are played, error %v", len(files), len(plays), err)
	}
	strict := client.WithFieldValidation(e.Client, metav1.FieldValidationStrict)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if lines := strings.SplitN(string(data), "\n", 4); err != nil || !strings.HasPrefix(lines[0], "# ") || !strings.HasPrefix(lines[1], "# ") || strings.HasPrefix(lines[2], "#") {
				t.Error("it does not begin with two lines of comment")
			}
			for _, fields := range documents(t, file) {
				obj := &unstructured.Unstructured{Object: fields}
				obj.SetNamespace(ns)
				if err := strict.Create(t.Context(), obj); err != nil {
					t.Fatalf("the API server refuses it: %v", err)
				}
			}
			plan := planOf(t, name)
			if !mhcspec.NamesPlan(&plan.check) || plan.check.Spec.Remediation.TemplateRef.Name != plan.template.Name || plan.template.Name != name {
				t.Errorf("its MachineHealthCheck refers to %+v", plan.check.Spec.Remediation.TemplateRef)
			}
			if _, problems := mhcspec.ParseConfig(&plan.check, &plan.template); len(problems) > 0 {
				t.Errorf("it has problems: %q", problems)
			}
			if _, err := rules.Compile(&plan.template.Spec.Template.Spec); err != nil {
				t.Error(err)
			}
		})
	}
}

// play is a sick machine and the step at which its repair begins.
type play struct {
	// node is the name of a recorded Node; empty if there is none.
	node string
	// machine changes the machine.
	machine func(*clusterv1.Machine)
	// tried are the steps that already failed.
	tried []string
	// step is where the repair begins, and rule the rule that decides this; without a rule it is the first step.
	step, rule string
}

// plays are those of each plan.
var plays = map[string][]play{
	"cloud": {
		{node: "lost", step: "replace"}, {node: "not-ready", step: "replace"}, {node: "", step: "replace"},
	},
	"metal": {
		{node: "lost", step: "watch"},
		{node: "", step: "reboot", rule: "never-joined"},
		{node: "lost", machine: annotated("example.com/cycles", "10"), step: "watch"},
		{node: "lost", machine: annotated("example.com/cycles", "11"), step: "evidence", rule: "worn-out"},
	},
	"control-plane": {{node: "lost", step: "watch"}},
	"node-problem-detector": {
		{node: "read-only", step: "replace", rule: "disk"}, {node: "deadlock", step: "replace", rule: "kernel"},
		{node: "restarts", step: "watch"}, {node: "runtime", step: "watch"},
	},
	"nvsentinel": {
		{node: "reset", step: "reset", rule: "reset"}, {node: "reset-has-failed", step: "reboot", rule: "reboot"},
		{node: "restart-in-the-other-form", step: "reboot", rule: "reboot"}, {node: "replace", step: "replace", rule: "replace"},
		{node: "support", step: "support", rule: "support"}, {node: "nothing-recommended", step: "support", rule: "nothing-to-do"},
		{node: "maintenance", step: "maintenance", rule: "maintenance"},
		{node: "maintenance", tried: []string{"maintenance"}, step: "reboot", rule: "reboot"}, {node: "passed", step: "reboot", rule: "no-gpu-fault"},
	},
	"eks-node-monitoring": {
		{node: "fabric", step: "replace", rule: "accelerator"}, {node: "xid", step: "replace", rule: "accelerator"},
		{node: "neuron", step: "replace", rule: "accelerator"}, {node: "diagnosis", step: "look", rule: "diagnosis"},
		{node: "network", step: "watch"}, {node: "processes", step: "replace", rule: "out-of-processes"},
	},
}

func annotated(key, value string) func(*clusterv1.Machine) {
	return func(m *clusterv1.Machine) { m.Annotations = map[string]string{key: value} }
}

// TestPlansPlay: the MachineHealthCheck of a plan finds each recorded Node sick, and the rules of the plan decide where to
// begin. Each rule must decide in at least one case, or it might never apply.
func TestPlansPlay(t *testing.T) {
	nodes := recordedNodes(t)
	for name, all := range plays {
		t.Run(name, func(t *testing.T) {
			e, decided := planOf(t, name), map[string]bool{}
			compiled, err := rules.Compile(&e.template.Spec.Template.Spec)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range all {
				in := p.input(t, &e.check, nodes)
				got := p
				if got.step, got.rule, err = compiled.StartAt(in); err != nil {
					t.Fatalf("%s: %v", p.node, err)
				}
				if got.step == "" {
					got.step = e.template.Spec.Template.Spec.Steps[0].Name
				}
				if diff := cmp.Diff([]string{p.step, p.rule}, []string{got.step, got.rule}); diff != "" {
					t.Errorf("%q (-want +got):\n%s", p.node, diff)
				}
				decided[got.rule] = true
			}
			for _, rule := range e.template.Spec.Template.Spec.Rules {
				if !decided[rule.Name] {
					t.Errorf("rule %s decides about no recorded Node", rule.Name)
				}
			}
		})
	}
}

// TestDocumentedRules: each YAML block in docs/plans.md is part of a valid plan, and its rules compile.
func TestDocumentedRules(t *testing.T) {
	page, err := os.ReadFile("../docs/plans.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```yaml\n")[1:]
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		var plan v1alpha1.RemediationPlan
		if err := yaml.UnmarshalStrict([]byte(block), &plan); err != nil {
			t.Errorf("%s\n%v", block, err)
		}
		plan.Steps = []v1alpha1.RemediationStep{{Name: "replace"}}
		if _, err := rules.Compile(&plan); err != nil {
			t.Errorf("%s\n%v", block, err)
		}
	}
	if len(blocks) < 2 {
		t.Errorf("found %d plans", len(blocks))
	}
}

// recordedNodes returns the Nodes in testdata by name.
func recordedNodes(t *testing.T) map[string]*corev1.Node {
	t.Helper()
	files, err := filepath.Glob("testdata/nodes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d files of Nodes, error %v", len(files), err)
	}
	nodes := map[string]*corev1.Node{}
	for _, file := range files {
		for _, fields := range documents(t, file) {
			node := &corev1.Node{}
			into(t, fields, node)
			node.CreationTimestamp = metav1.NewTime(build.Epoch)
			nodes[node.Name] = cachedNode(t, node)
		}
	}
	return nodes
}

// cachedNode returns what the cache keeps of a Node: rules see only that.
func cachedNode(t *testing.T, node *corev1.Node) *corev1.Node {
	t.Helper()
	for _, cached := range workload.NodeCache() {
		kept, err := cached.Transform(node)
		if err != nil {
			t.Fatal(err)
		}
		return kept.(*corev1.Node)
	}
	return node
}

// input returns what the rules see of the machine, which has been sick for an hour.
func (p play) input(t *testing.T, check *clusterv1.MachineHealthCheck, nodes map[string]*corev1.Node) rules.Input {
	t.Helper()
	facts := verdict.Facts{
		Machine: build.Machine("default", "m"), Cluster: build.Cluster("default", build.ClusterName), Rules: mhcspec.RulesOf(check),
	}
	if p.node != "" {
		node, ok := nodes[p.node]
		if !ok {
			t.Fatalf("no Node %q is recorded", p.node)
		}
		facts.Machine = build.Machine("default", "m", build.NodeRef(p.node))
		facts.Node = verdict.NodeFacts{State: verdict.NodeFound, Node: node}
	}
	if p.machine != nil {
		p.machine(facts.Machine)
	}
	sick := verdict.Decide(facts, build.Epoch.Add(2*time.Hour))
	if sick.Status != healthcheck.False {
		t.Fatalf("a machine with the Node %q is not sick: %+v", p.node, sick)
	}
	found := &metav1.Condition{Type: verdict.ConditionType, Status: metav1.ConditionFalse, Reason: sick.Reason, Message: sick.Message}
	var attempts []v1alpha1.RemediationAttempt
	for _, step := range p.tried {
		attempts = append(attempts, v1alpha1.RemediationAttempt{Step: step, Result: v1alpha1.ResultTimedOut})
	}
	return rules.InputOf(facts.Machine, facts.Node.Node, facts.Rules, found, attempts)
}
