package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

func fileOf(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// runFiles runs a command and returns what it printed.
func runFiles(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = Main(t.Context(), args, &out, &err)
	return code, out.String(), err.String()
}

// documentedRun runs a command for the documentation.
func documentedRun(t *testing.T, args ...string) string {
	t.Helper()
	_, stdout, stderr := runFiles(t, args...)
	return "```\n$ sickbay " + strings.Join(args, " ") + "\n" + stdout + strings.TrimLeft(stderr, "\n") + "```\n"
}

// TestReferenceLint renders the findings for a manifest with fields of a draft, and for a dangerous one.
func TestReferenceLint(t *testing.T) {
	documentation := inDirectory(t, map[string]string{"mhc.yaml": fileOf(t, "../convert/testdata/seed.yaml")})
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

// TestLintExitCodes: 0 if nothing is wrong, 1 if something is, 2 if something cannot be read.
func TestLintExitCodes(t *testing.T) {
	dangerous := strings.Replace(fine, "40%", "100%", 1)
	inDirectory(t, map[string]string{
		"fine.yaml": fine, "dangerous.yaml": dangerous, "wrong.yaml": strings.Replace(fine, "Unknown", "False", 1),
		"other.yaml": other, "broken.yaml": "a: [b", "empty.yaml": "# nothing\n", "all/fine.yml": fine, "all/notes.txt": "a: [b",
		"all/below/wrong.yaml": strings.Replace(fine, "clusterName", "cluster", 1), "none/notes.txt": "",
	})
	for name, tt := range map[string]struct {
		args string
		code int
		want string
	}{
		"nothing wrong":         {"-f fine.yaml", exitOK, ""},
		"dangerous":             {"-f dangerous.yaml", exitOK, "dangerous.yaml:9: warning: spec.remediation.triggerIf.unhealthyLessThanOrEqualTo: 100% is no limit"},
		"dangerous, strict":     {"-f dangerous.yaml --strict", exitFailure, "sickbay: 1 warning\n"},
		"wrong":                 {"-f wrong.yaml", exitFailure, "sickbay: 1 error, 0 warnings\n"},
		"of another kind":       {"-f other.yaml", exitOK, "other.yaml:1: ConfigMap other was skipped\n"},
		"no YAML":               {"-f broken.yaml -f fine.yaml", exitFailure, "broken.yaml:1: error: did not find expected ',' or ']'"},
		"empty":                 {"-f empty.yaml", exitOK, ""},
		"a directory":           {"-f all", exitOK, ""},
		"all below":             {"-f all -R", exitFailure, "all/below/wrong.yaml:6: error: spec.cluster: there is no such field"},
		"an empty directory":    {"-f none", exitUsage, "none has no file that ends in .yaml, .yml or .json"},
		"a file that is not":    {"-f fine.yaml -f gone.yaml", exitUsage, "gone.yaml: no such file"},
		"no file":               {"", exitUsage, "--filename is missing"},
		"an argument":           {"fine.yaml", exitUsage, `takes no arguments, but got "fine.yaml"`},
		"a form of its own":     {"-f fine.yaml -o xml", exitUsage, `--output is "xml": it must be one of json, yaml`},
		"no cluster to look at": {"-f fine.yaml --live --kubeconfig gone", exitUsage, "reading the kubeconfig"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := runFiles(t, append([]string{"lint"}, strings.Fields(tt.args)...)...)
			if code != tt.code || !strings.Contains(stdout+stderr, tt.want) {
				t.Errorf("exit code is %d, want %d, and %q in\n%s%s", code, tt.code, tt.want, stdout, stderr)
			}
		})
	}
}

// TestLintJSON: programs get the same findings, and an empty list if there are none.
func TestLintJSON(t *testing.T) {
	inDirectory(t, map[string]string{"fine.yaml": fine, "wrong.yaml": strings.Replace(fine, "40%", "most", 1)})
	_, stdout, _ := runFiles(t, "lint", "-f", "fine.yaml", "-o", "json")
	if want := "{\n  \"apiVersion\": \"lint.sickbay.dev/v1\",\n  \"kind\": \"Lint\",\n  \"findings\": []\n}\n"; stdout != want {
		t.Errorf("got %s, want %s", stdout, want)
	}
	_, stdout, _ = runFiles(t, "lint", "-f", "wrong.yaml", "-o", "json")
	var page lintPage
	if err := json.Unmarshal([]byte(stdout), &page); err != nil {
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
	code, stdout, stderr := runFiles(t, "lint", "-f", "fine.yaml", "--live", "--kubeconfig", config)
	want := "fine.yaml:9: warning: spec.remediation.triggerIf.unhealthyLessThanOrEqualTo: 40% of 2 Machines is 0: nothing is ever repaired\n"
	if code != exitOK || stdout != want || stderr != "" {
		t.Errorf("exit code %d, printed %q, %q, want %q", code, stdout, stderr, want)
	}
	code, stdout, stderr = runFiles(t, "lint", "-f", "plan.yaml", "--live", "--kubeconfig", config)
	want = "plan.yaml:11: warning: spec.template.spec.steps[0].templateRef: step reset needs ResetTemplate and Reset of example.com/v1, which are not installed: " +
		"install what provides them, or correct templateRef; until then it is retried for ever\n"
	if code != exitOK || stdout != want || stderr != "" {
		t.Errorf("exit code %d, printed %q, %q, want %q", code, stdout, stderr, want)
	}
	code, _, stderr = runFiles(t, "lint", "-f", "fine.yaml", "--live", "--kubeconfig", config, "--as", "nobody")
	if code != exitUsage || !strings.Contains(stderr, "listing Machines in namespace "+ns+": ") {
		t.Errorf("without rights the exit code is %d: %s", code, stderr)
	}
}
