package lint

import (
	"slices"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/convert"
	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// Health checks without fault in each dialect; NAME, SELECTOR and LIMIT are theirs.
const (
	newOne  = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineHealthCheck\nmetadata: {name: NAME, namespace: default}\nspec:\n  clusterName: blue\n  selector: SELECTOR\n  checks: {unhealthyNodeConditions: [{type: Ready, status: Unknown, timeoutSeconds: 300}]}\n  remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 1}}\n"
	oldOne  = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: NAME, namespace: default}\nspec:\n  clusterName: blue\n  selector: SELECTOR\n  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n  maxUnhealthy: 1\n"
	osOne   = "apiVersion: machine.openshift.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: NAME, namespace: default}\nspec:\n  selector: SELECTOR\n  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n  maxUnhealthy: 1\n"
	nodeOne = "apiVersion: remediation.medik8s.io/v1alpha1\nkind: NodeHealthCheck\nmetadata: {name: NAME}\nspec:\n  selector: SELECTOR\n  LIMIT\n  unhealthyConditions: [{type: Ready, status: Unknown, duration: 5m}]\n  remediationTemplate: {apiVersion: a.example.com/v1, kind: ATemplate, name: a}\n"
)

func named(text, name, selector string) string {
	return strings.NewReplacer("NAME", name, "SELECTOR", selector, "LIMIT", "minHealthy: 60%").Replace(text)
}

// TestOverlapsInEveryDialect: two checks of one dialect that select the same machines are found, however their selectors say it.
func TestOverlapsInEveryDialect(t *testing.T) {
	const same, wider = "every Machine that it selects is selected by others as well: a (a.yaml:1)", "it selects every Machine of others: a (a.yaml:1)"
	exists := func(key string) string { return "{matchExpressions: [{key: " + key + ", operator: Exists}]}" }
	for _, tt := range []struct{ text, a, b, want string }{
		{newOne, "{matchLabels: {pool: x}}", "{matchExpressions: [{key: pool, operator: In, values: [x]}]}", same},
		{newOne, "{matchLabels: {pool: x}}", "{matchExpressions: [{key: pool, operator: In, values: [x, z]}]}", wider},
		{newOne, "{matchLabels: {pool: x}}", "{matchLabels: {pool: y}}", ""},
		{oldOne, "{matchLabels: {cluster.x-k8s.io/deployment-name: md}}", exists("cluster.x-k8s.io/cluster-name"), wider},
		{oldOne, "{matchLabels: {pool: x}}", exists("pool"), wider},
		{oldOne, "{matchLabels: {pool: x}}", "{matchExpressions: [{key: pool, operator: NotIn, values: [y]}]}", wider},
		{osOne, "{matchLabels: {machine.openshift.io/cluster-api-machineset: w}}", "{matchLabels: {machine.openshift.io/cluster-api-machineset: w}}", same + "; each repairs them, up to its own limit"},
		{osOne, "{matchLabels: {machine.openshift.io/cluster-api-machineset: w}}", "{}", wider},
		{osOne, "{matchLabels: {machine.openshift.io/cluster-api-machineset: w}}", "{matchLabels: {machine.openshift.io/cluster-api-machineset: v}}", ""},
		{nodeOne, exists("node-role.kubernetes.io/worker"), exists("node-role.kubernetes.io/worker"), strings.Replace(same, "Machine", "Node", 1)},
		{nodeOne, exists("node-role.kubernetes.io/worker"), exists("node-role.kubernetes.io/infra"), ""},
	} {
		both := named(tt.text, "a", tt.a) + "---\n" + named(tt.text, "b", tt.b)
		found := lint(t, "a.yaml", []byte(both), nil).Findings
		got := slices.ContainsFunc(found, func(f Finding) bool {
			return strings.Contains(f.Message, "others") && (tt.want == "" || strings.Contains(f.Message, tt.want))
		})
		if got != (tt.want != "") {
			t.Errorf("found %v, want %q in\n%s", found, tt.want, both)
		}
	}
	apart := named(osOne, "a", "{}") + "---\n" + named(newOne, "b", "{matchLabels: {pool: x}}")
	if found := lint(t, "a.yaml", []byte(apart), nil).Findings; slices.ContainsFunc(found, func(f Finding) bool { return strings.Contains(f.Message, "others") }) {
		t.Errorf("found %v between dialects", found)
	}
}

// TestNodeLimits: a limit of a NodeHealthCheck is named as it is written, and one that limits nothing is found.
func TestNodeLimits(t *testing.T) {
	for limit, want := range map[string]string{
		"minHealthy: 0%": "spec.minHealthy: 0% is no limit", "minHealthy: 0": "spec.minHealthy: 0 is no limit", "maxUnhealthy: 100%": "spec.maxUnhealthy: 100% is no limit",
		"minHealthy: 100%": "spec.minHealthy: 100% means that nothing is ever repaired", "maxUnhealthy: 0": "spec.maxUnhealthy: 0 means that nothing is ever repaired",
		"minHealthy: 2": "", "minHealthy: 51%": "",
	} {
		text := named(strings.Replace(nodeOne, "LIMIT", limit, 1), "a", "{matchExpressions: [{key: node-role.kubernetes.io/worker, operator: Exists}]}")
		expect(t, text, nil, want)
	}
	dry := strings.NewReplacer("namespace: default", "namespace: default, annotations: {sickbay.dev/dry-run: 'true'}", "OrEqualTo: 1", "OrEqualTo: 100%").Replace(named(newOne, "a", "{matchLabels: {pool: x}}"))
	expect(t, dry, nil, "100% is no limit")
}

// TestMisnamed: an object that was probably meant as a health check is not skipped in silence.
func TestMisnamed(t *testing.T) {
	text := named(newOne, "a", "{matchLabels: {pool: x}}")
	for _, tt := range []struct {
		from, to, want string
		level          Level
	}{
		{"apiVersion: cluster.x-k8s.io/v1beta2\n", "", "apiVersion: it is required", Error},
		{"kind: MachineHealthCheck", "kind: MachinehealthCheck", "kind: lint does not know it; perhaps MachineHealthCheck is meant", Warning},
		{"kind: MachineHealthCheck", "kind: MachineHealthCheks", "perhaps MachineHealthCheck is meant", Warning},
		{"cluster.x-k8s.io/v1beta2", "healthchecking.openshift.io/v1alpha1", "perhaps that of cluster.x-k8s.io/v1beta1 or cluster.x-k8s.io/v1beta2 or machine.openshift.io/v1beta1 is meant", Warning},
		{"cluster.x-k8s.io/v1beta2", "cluster.x-k8s.io/v1beta3", `there is no version "v1beta3" of it`, Error},
		{"kind: MachineHealthCheck", "kind: MachinePool", "", ""},
		{"kind: MachineHealthCheck", "kind: HealthCheck", "", ""},
	} {
		found := lint(t, "a.yaml", []byte(strings.Replace(text, tt.from, tt.to, 1)), nil)
		if tt.want == "" {
			if len(found.Findings) > 0 || len(found.Skipped) != 1 {
				t.Errorf("found %+v for %s", found, tt.to)
			}
			continue
		}
		if one := found.Findings; len(one) != 1 || one[0].Level != tt.level || !strings.Contains(one[0].Field+": "+one[0].Message, tt.want) {
			t.Errorf("found %v, want %s", one, tt.want)
		}
	}
}

// TestUnfilled: in a template, every field is checked that needs nothing to be filled in, in each dialect.
func TestUnfilled(t *testing.T) {
	const template = "it is a template, with "
	for _, text := range []string{newOne, oldOne, osOne} {
		text = named(text, "a", "{matchLabels: {pool: x}}")
		for _, filled := range []string{
			strings.Replace(text, "name: a,", "name: '${NAME}', labels: {v: '${VERSION}'},", 1), strings.Replace(text, "name: a,", "name: a, annotations: {summary: '{{ .Foo }}'},", 1),
		} {
			expect(t, filled, nil, template)
			found := lint(t, "a.yaml", []byte(strings.Replace(filled, "status: Unknown", "status: Unknwn", 1)+"  nodeStartupTimout: 5m\n"), nil).Findings
			for _, want := range []string{"there is no such field; perhaps nodeStartupTimeout", `it is "Unknwn", which no condition ever is`} {
				if strings.Contains(text, "v1beta2") && strings.Contains(want, "no such field") {
					want = "spec.nodeStartupTimout: there is no such field"
				}
				if !slices.ContainsFunc(found, func(f Finding) bool { return strings.Contains(f.Field+": "+f.Message, want) }) {
					t.Errorf("found %v, want %s in\n%s", found, want, filled)
				}
			}
		}
	}
	for _, tt := range []struct{ from, to string }{
		{"timeoutSeconds: 300", "timeoutSeconds: '${T}'"}, {"OrEqualTo: 1", "OrEqualTo: '${MAX:=40%}'"}, {"{pool: x}", "{pool: '${POOL}'}"}, {"status: Unknown", "status: '{{ .status }}'"},
	} {
		expect(t, strings.Replace(named(newOne, "a", "{matchLabels: {pool: x}}"), tt.from, tt.to, 1), nil, template)
	}
}

// TestWrongTypes: a value without its quotes or its unit is named with what was meant, and convert writes the quotes.
func TestWrongTypes(t *testing.T) {
	text := named(oldOne, "a", "{matchLabels: {pool: x}}")
	const integer, boolean = "it must be of type string, and is of type integer; put it in quotes", "it must be of type string, and is of type boolean; put it in quotes"
	for _, tt := range []struct{ from, to, want string }{
		{"name: a,", "name: 123,", "metadata.name: " + integer}, {"name: a,", "name: y,", "metadata.name: " + boolean},
		{"name: a,", "name: a, labels: {x: 1},", "metadata.labels[x]: " + integer}, {"name: a,", "name: a, annotations: {x: true},", "metadata.annotations[x]: " + boolean},
		{"clusterName: blue", "clusterName: 7", "spec.clusterName: " + integer}, {"{pool: x}", "{pool: 7}", "spec.selector.matchLabels.pool: " + integer},
		{"timeout: 5m", "timeout: 300", "spec.unhealthyConditions[0].timeout: it must be of type string, and is of type integer; perhaps 300s is meant"},
		{"  maxUnhealthy", "  nodeStartupTimeout: 600\n  maxUnhealthy", "spec.nodeStartupTimeout: it must be of type string, and is of type integer; perhaps 600s is meant"},
		{"name: a,", "name: $CLUSTER_NAME,", "metadata.name: it looks like a variable, and nobody fills in one without braces, as in ${NAME}"},
	} {
		text := strings.Replace(text, tt.from, tt.to, 1)
		found := lint(t, "a.yaml", []byte(text), nil).Findings
		if errors := slices.DeleteFunc(found, func(f Finding) bool { return f.Level != Error }); len(errors) != 1 || errors[0].Field+": "+errors[0].Message != tt.want {
			t.Errorf("found %v, want %s", errors, tt.want)
		}
		if !strings.HasSuffix(tt.want, "quotes") {
			continue
		}
		documents, _ := manifest.Parse("a.yaml", []byte(text))
		converted, notes := convert.Document(documents[0], convert.Options{})
		if again := lint(t, "a.yaml", []byte(converted), nil).Findings; len(again) > 0 || len(notes) > 0 {
			t.Errorf("found %v and %v in\n%s", again, notes, converted)
		}
	}
}

// TestBrokenExpressions: an expression that no API server takes has one error, at its own place.
func TestBrokenExpressions(t *testing.T) {
	for expression, want := range map[string]string{
		"{key: a}":                           "[1].operator: it is required",
		"{key: a, operator: }":               "[1].operator: it is required",
		"{key: a, operator: ''}":             "[1]: it has no operator",
		"{key: a, operator: exists}":         `[1]: "exists" is not a valid label selector operator; perhaps Exists is meant`,
		"{key: a, operator: Equals}":         `[1]: "Equals" is not a valid label selector operator`,
		"{key: a, operator: In, values: []}": "[1]: values: Invalid value: null: for 'in', 'notin' operators",
	} {
		for _, text := range []string{newOne, oldOne, osOne, nodeOne} {
			found := lint(t, "a.yaml", []byte(named(text, "a", "{matchExpressions: [{key: pool, operator: Exists}, "+expression+"]}")), nil).Findings
			if len(found) != 1 || !strings.HasPrefix(found[0].Field+": "+found[0].Message, "spec.selector.matchExpressions"+want) {
				t.Errorf("found %v, want %s", found, want)
			}
		}
	}
}

// TestFormerNames: conditions of older versions, and those that nobody may ask for, are known when misspelt.
func TestFormerNames(t *testing.T) {
	for kind, want := range map[string]string{
		"BootstrapReady": "perhaps BootstrapConfigReady is meant", "HealthCheckSucceded": "perhaps HealthCheckSucceeded is meant", "OwnerRemedated": "perhaps OwnerRemediated is meant",
	} {
		expect(t, strings.NewReplacer("unhealthyNodeConditions", "unhealthyMachineConditions", "type: Ready", "type: "+kind).Replace(named(newOne, "a", "{matchLabels: {pool: x}}")), nil, want)
	}
	expect(t, strings.Replace(named(osOne, "a", "{matchLabels: {pool: x}}"), "type: Ready", "type: 'Ready '", 1), nil, `"Ready " is not a condition that is known here; perhaps Ready is meant`)
}

// TestWrapped: a health check is found in what holds objects to apply; where lint does not read it, it says so.
func TestWrapped(t *testing.T) {
	const check = "  {apiVersion: machine.openshift.io/v1beta1, kind: MachineHealthCheck, metadata: {name: a, namespace: default}, spec: {selector: {matchLabels: {pool: x}}, " +
		"maxUnhealthy: 0, unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]}}\n"
	const never = "spec.maxUnhealthy: 0 means that nothing is ever repaired"
	for text, want := range map[string]string{
		"apiVersion: template.openshift.io/v1\nkind: Template\nobjects:\n- " + check:                                                   never,
		"apiVersion: hive.openshift.io/v1\nkind: SelectorSyncSet\nspec:\n  resources:\n  - " + check:                                   never,
		"apiVersion: hive.openshift.io/v1\nkind: SyncSet\nspec:\n  resources:\n  - " + check:                                           never,
		"apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nspec:\n  workload:\n    manifests:\n    - " + check:       never,
		"apiVersion: example.com/v1\nkind: Object\nspec:\n  manifest:\n  " + check:                                                     "it holds a MachineHealthCheck, which lint does not read there; give lint that one by itself",
		"apiVersion: v1\nkind: ConfigMap\ndata:\n  a: |\n    apiVersion: remediation.medik8s.io/v1alpha1\n    kind: NodeHealthCheck\n": "it holds a NodeHealthCheck, which",
		"apiVersion: v1\nkind: ConfigMap\ndata:\n  a: the kind is MachineHealthCheck\n  kind: MachineHealthCheck\n":                    "",
		"apiVersion: v1\nkind: Event\ninvolvedObject: {apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineHealthCheck, name: a}\n":     "",
	} {
		expect(t, text, nil, want)
	}
}

// TestNodeHealthCheckWithoutSpec: its schema asks for nothing, and its webhook does.
func TestNodeHealthCheckWithoutSpec(t *testing.T) {
	found := lint(t, "a.yaml", []byte("apiVersion: remediation.medik8s.io/v1alpha1\nkind: NodeHealthCheck\nmetadata: {name: a}\n"), nil).Findings
	if !slices.ContainsFunc(found, func(f Finding) bool { return strings.Contains(f.Message, "empty selector") }) {
		t.Errorf("found %v", found)
	}
}

// TestOneMistakeOnce: a misnamed field does not make its mapping empty as well.
func TestOneMistakeOnce(t *testing.T) {
	text := named(newOne, "a", "{matchLabels: {pool: x}}")
	for from, want := range map[string]string{
		"unhealthyNodeConditions":    "spec.checks.unhealthyConditions: there is no such field; it is unhealthyNodeConditions today, and sickbay convert writes it so",
		"unhealthyLessThanOrEqualTo": "spec.remediation.triggerIf.unhealthyConditions: there is no such field",
	} {
		found := lint(t, "a.yaml", []byte(strings.Replace(text, from, "unhealthyConditions", 1)), nil).Findings
		if errors := slices.DeleteFunc(found, func(f Finding) bool { return f.Level != Error }); len(errors) != 1 || !strings.HasPrefix(errors[0].Field+": "+errors[0].Message, want) {
			t.Errorf("found %v, want %s", errors, want)
		}
	}
}
