package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

const commandsFile = "../../docs/commands.md"

// inDirectory runs a test in a new working directory with some files, and returns the documentation's absolute path.
func inDirectory(t *testing.T, files map[string]string) (documentation string) {
	t.Helper()
	documentation, err := filepath.Abs(commandsFile)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return documentation
}

// documentedRun runs a command for the documentation.
func documentedRun(t *testing.T, args ...string) string {
	t.Helper()
	got := offline(t, args...)
	return "```\n$ sickbay " + strings.Join(args, " ") + "\n" + got.stdout + strings.TrimLeft(got.stderr, "\n") + "```\n"
}

// TestReferenceLint renders the findings for a manifest with fields of a draft, and for a dangerous one.
func TestReferenceLint(t *testing.T) {
	documentation := inDirectory(t, map[string]string{"mhc.yaml": docs.Text(t, "../convert/testdata/seed.yaml")})
	docs.Section(t, documentation, "lint", documentedRun(t, "lint", "-f", "mhc.yaml"))
}

const (
	fine = `apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata:
  name: blue
spec:
  clusterName: blue
  selector: {matchLabels: {pool: workers}}
  checks: {unhealthyNodeConditions: [{type: Ready, status: Unknown, timeoutSeconds: 300}]}
  remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 40%}}
`
	resets = `apiVersion: sickbay.dev/v1alpha1
kind: MachineRemediationTemplate
metadata: {name: resets}
spec:
  template:
    spec:
      steps:
      - name: reset
        action: Request
        timeoutSeconds: 600
        templateRef: {apiVersion: example.com/v1, kind: ResetTemplate, name: reset}
`
	other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"
)

// TestTheSameLine: lint and convert name the same place of a file that has to be rendered first, whatever stands before it.
func TestTheSameLine(t *testing.T) {
	named := func(text string) string { return strings.ReplaceAll(text, "blue", "${NAME}") }
	cluster := "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: \"${NAME}\"}\nspec:\n  "
	plan := "apiVersion: sickbay.dev/v1alpha1\nkind: MachineRemediationTemplate\nmetadata: {name: \"${PLAN}\"}\n"
	for name, text := range map[string]string{
		"alone": named(older), "after a topology": cluster + "topology: {class: a}\n---\n" + named(older), "after a plan": plan + "---\n" + named(older),
		"after a plain Cluster": cluster + "paused: false\n---\n" + named(older), "after a health check of today": named(fine) + "---\n" + named(older),
		"after another kind": strings.Replace(other, "name: other", "name: \"${A}\"", 1) + "---\n" + named(older),
		"what is no YAML":    fine + "---\n" + named(older) + "  more: {this: ${A:=1}, that: [${B}}\n", "both": named(older) + "---\n" + named(fine) + "  more: [${B}\n",
	} {
		t.Run(name, func(t *testing.T) {
			inDirectory(t, map[string]string{"a.yaml": text})
			place := regexp.MustCompile(`a\.yaml:(\d+): .*it is a template, with (\S+): `)
			linted, converted := place.FindAllStringSubmatch(offline(t, "lint", "-f", "a.yaml").stdout, -1), place.FindAllStringSubmatch(offline(t, "convert", "-f", "a.yaml").stderr, -1)
			if len(linted) != 1 || len(converted) != 1 || linted[0][1] != converted[0][1] || linted[0][2] != converted[0][2] {
				t.Errorf("lint says %q, and convert %q", linted, converted)
			}
		})
	}
}

// TestLintExitCodes: 0 if nothing is wrong, 1 if something is, 2 if something cannot be read.
func TestLintExitCodes(t *testing.T) {
	dangerous := strings.Replace(fine, "40%", "100%", 1)
	inDirectory(t, map[string]string{
		"fine.yaml": fine, "dangerous.yaml": dangerous, "wrong.yaml": strings.Replace(fine, "Unknown", "False", 1),
		"other.yaml": other, "broken.yaml": "a: [b", "empty.yaml": "# nothing\n", "all/fine.yml": fine, "all/notes.txt": "a: [b",
		"all/below/wrong.yaml": strings.Replace(fine, "clusterName", "cluster", 1), "none/notes.txt": "", "chart/Chart.yaml": "name: a\n", "list.yaml": "apiVersion: v1\nkind: List\nitems: []\n",
		"chart/templates/a.yaml": "{{- if .on }}\n" + fine + "{{- end }}\n---\n{{ x }}\n", "chart/templates/b.yaml": fine,
		"app/templates/a.yaml":     "{{- if .on }}\n" + other + "---\nkind: Cluster\nname: {{ x }}\n---\n{{ x }}: a\nkind: Secret\n",
		"unknown/templates/a.yaml": "{{ include \"all\" . }}\n", "unknown/templates/b.yaml": "{{- if .on }}\nkind: {{ .kind }}\n{{ end }}\n",
		"variables.yaml": strings.Replace(fine, "40%", "${LIMIT}", 1), "gone/a.yaml": fine,
		"old.yaml": "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: a}\nspec:\n  clusterName: blue\n  maxUnhealthy: 40%\n" +
			"  selector: {matchLabels: {pool: workers}}\n  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n",
	})
	if err := os.Symlink("nowhere", "gone/b.yaml"); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		args string
		code int
		want string
	}{
		"nothing wrong":     {"-f fine.yaml", exitOK, ""},
		"an older version":  {"-f old.yaml", exitOK, "old.yaml:1: MachineHealthCheck a is of v1beta1; sickbay convert makes it one of v1beta2, which simulate needs\n"},
		"dangerous":         {"-f dangerous.yaml", exitOK, "dangerous.yaml:9: warning: spec.remediation.triggerIf.unhealthyLessThanOrEqualTo: 100% is no limit"},
		"dangerous, strict": {"-f dangerous.yaml --strict", exitFailure, "sickbay: 1 warning\n"},
		"wrong":             {"-f wrong.yaml", exitFailure, "sickbay: 1 error, 0 warnings\n"},
		"of another kind":   {"-f other.yaml", exitOK, "other.yaml:1: ConfigMap other was skipped\nno health check was found\n"},
		"no YAML":           {"-f broken.yaml -f fine.yaml", exitFailure, "broken.yaml:1: error: did not find expected ',' or ']'"},
		"a chart": {"-f chart -R --strict", exitFailure, "chart/templates/a.yaml:1: warning: it is a template, with {{- if .on }}: render it first: " +
			"helm template chart | sickbay lint -f -\nnot checked: "},
		"a chart without a health check": {"-f app -R --strict", exitOK, "no health check was found\nnot checked: app/templates/a.yaml, which is a template without a health check\n"},
		"kinds that nobody knows yet":    {"-f unknown -R --strict", exitFailure, "sickbay: 2 warnings\n"},
		"variables": {"-f variables.yaml", exitOK, "variables.yaml:9: warning: it is a template, with ${LIMIT}: render it first: " +
			"clusterctl generate yaml --from variables.yaml | sickbay lint -f -\n"},
		"one that is gone":      {"-f gone", exitUsage, "gone/b.yaml:1: error: open gone/b.yaml: no such file or directory\n"},
		"empty":                 {"-f empty.yaml", exitOK, "no health check was found\n"},
		"an empty list":         {"-f list.yaml", exitOK, "no health check was found\n"},
		"a chart, not below":    {"-f chart", exitUsage, "chart has no manifests of its own, but it has subdirectories: -R reads them\n"},
		"a directory":           {"-f all", exitOK, "all has subdirectories: -R reads them\n"},
		"all below":             {"-f all -R", exitFailure, "all/below/wrong.yaml:6: error: spec.cluster: there is no such field"},
		"an empty directory":    {"-f none", exitUsage, "none has no file that ends in .yaml, .yml or .json"},
		"an empty name":         {"--filename=", exitUsage, "a name of a file is empty"},
		"a file that is not":    {"-f fine.yaml -f gone.yaml", exitUsage, "gone.yaml: no such file"},
		"no file":               {"", exitUsage, "-f is missing"},
		"an argument":           {"fine.yaml", exitUsage, `takes no arguments, but got "fine.yaml"; a file goes with -f: -f fine.yaml`},
		"a form of its own":     {"-f fine.yaml -o xml", exitUsage, `--output is "xml": it must be one of json, yaml`},
		"no cluster to look at": {"-f fine.yaml --live --kubeconfig gone", exitUsage, "reading the kubeconfig"},
	} {
		t.Run(name, func(t *testing.T) {
			offline(t, append([]string{"lint"}, strings.Fields(tt.args)...)...).ends(t, tt.code, tt.want)
		})
	}
}

// TestLintJSON: programs get the same findings, and an empty list if there are none.
func TestLintJSON(t *testing.T) {
	inDirectory(t, map[string]string{"fine.yaml": fine, "wrong.yaml": strings.Replace(fine, "40%", "most", 1)})
	got := offline(t, "lint", "-f", "fine.yaml", "-o", "json")
	if want := "{\n  \"apiVersion\": \"lint.sickbay.dev/v1\",\n  \"kind\": \"Lint\",\n  \"findings\": []\n}\n"; got.stdout != want {
		t.Errorf("got %s, want %s", got.stdout, want)
	}
	got = offline(t, "lint", "-f", "wrong.yaml", "-o", "json")
	var page lintPage
	if err := json.Unmarshal([]byte(got.stdout), &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Findings) != 1 || page.Findings[0].Line != 9 || page.Findings[0].Object != "MachineHealthCheck blue" || page.Findings[0].Level != "error" {
		t.Errorf("found %+v", page.Findings)
	}
}

// TestLintLive: percentages are computed from the Machines in the cluster, and plans need the kinds that are installed there. A cluster without Sickbay's kinds has no plans.
func TestLintLive(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	config := env.Kubeconfig(t, e.Config, "test", ns)
	inDirectory(t, map[string]string{"fine.yaml": fine, "plan.yaml": resets})
	for _, name := range []string{"one", "two"} {
		build.Create(t.Context(), t, e.Client, build.Machine(ns, name, build.InCluster("blue"), build.Label("pool", "workers")))
	}
	// Other namespaces are not read.
	build.Create(t.Context(), t, e.Client, build.Machine(e.Namespace(t), "three", build.InCluster("blue"), build.Label("pool", "workers")))
	got := offline(t, "lint", "-f", "fine.yaml", "--live", "--kubeconfig", config)
	want := "fine.yaml:9: warning: spec.remediation.triggerIf.unhealthyLessThanOrEqualTo: 40% of 2 Machines is 0: nothing is ever repaired\n"
	if diff := cmp.Diff(ran{exitOK, want, ""}, got, cmp.AllowUnexported(ran{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got = offline(t, "lint", "-f", "plan.yaml", "--live", "--kubeconfig", config)
	want = "plan.yaml:11: warning: spec.template.spec.steps[0].templateRef: step reset needs ResetTemplate and Reset of example.com/v1, which are not installed: " +
		"install what provides them, or correct templateRef; until then it is retried for ever\n"
	if diff := cmp.Diff(ran{exitOK, want, ""}, got, cmp.AllowUnexported(ran{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Nobody replaces what a MachinePool owns.
	pooled := build.Machine(ns, "pooled", build.InCluster("blue"), build.Label("pool", "workers"))
	pooled.OwnerReferences = []metav1.OwnerReference{{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachinePool", Name: "pool", UID: "pool", Controller: new(true)}}
	build.Create(t.Context(), t, e.Client, pooled)
	got = offline(t, "lint", "-f", "fine.yaml", "--live", "--kubeconfig", config)
	want = "fine.yaml:7: warning: spec.selector: it selects 1 Machine that nobody replaces when sick (pooled), because MachinePool pool never answers, as no MachinePool does; " +
		"do not select them, or repair them with a plan that has other steps than Replace, or whose step Replace has by: Deletion\n"
	if diff := cmp.Diff(ran{exitOK, want, ""}, got, cmp.AllowUnexported(ran{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	offline(t, "lint", "-f", "fine.yaml", "--live", "--kubeconfig", config, "--as", "nobody").ends(t, exitUsage, "listing Machines in namespace "+ns+": ")
}
