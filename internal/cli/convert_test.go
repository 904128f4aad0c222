package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// TestReferenceConvert renders what convert says about the manifest of a draft, and about a NodeHealthCheck.
func TestReferenceConvert(t *testing.T) {
	documentation := inDirectory(t, map[string]string{"mhc.yaml": docs.Text(t, "../convert/testdata/seed.yaml")})
	got := offline(t, "convert", "-f", "mhc.yaml")
	docs.Section(t, documentation, "convert", "```\n$ sickbay convert -f mhc.yaml > today.yaml\n"+got.stderr+"```\n")
	goldens := filepath.Join(filepath.Dir(documentation), "../internal/cli/testdata")
	docs.File(t, filepath.Join(goldens, "convert.golden"), got.stdout)
	inDirectory(t, map[string]string{"nhc.yaml": nodeHealthCheck})
	got = offline(t, "convert", "-f", "nhc.yaml", "--cluster", "blue", "-n", "default")
	docs.Section(t, documentation, "convert a NodeHealthCheck", "```\n$ sickbay convert -f nhc.yaml --cluster blue -n default > plan.yaml\n"+got.stderr+"```\n")
	docs.File(t, filepath.Join(goldens, "convert-nodehealthcheck.golden"), got.stdout)
}

const nodeHealthCheck = `# Reboot, then replace.
apiVersion: remediation.medik8s.io/v1alpha1
kind: NodeHealthCheck
metadata:
  name: workers
spec:
  selector:
    matchExpressions:
    - key: node-role.kubernetes.io/worker
      operator: Exists
  minHealthy: 51% # more than half
  unhealthyConditions:
  - type: Ready
    status: Unknown
    duration: 300s
  escalatingRemediations:
  - remediationTemplate:
      apiVersion: self-node-remediation.medik8s.io/v1alpha1
      kind: SelfNodeRemediationTemplate
      name: automatic
    order: 1
    timeout: 15m
  - remediationTemplate:
      apiVersion: machine-deletion-remediation.medik8s.io/v1alpha1
      kind: MachineDeletionRemediationTemplate
      name: delete
    order: 2
    timeout: 30m
`

const older = `apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineHealthCheck
metadata:
  name: blue
spec:
  clusterName: blue
  selector: {matchLabels: {pool: workers}}
  maxUnhealthy: 40%
`

// TestConvertExitCodes: 0 if everything was converted, 1 if something could not be, 2 if something could not be read. What can be read is
// converted all the same.
func TestConvertExitCodes(t *testing.T) {
	inDirectory(t, map[string]string{
		"fine.yaml": fine, "older.yaml": older, "other.yaml": other, "nhc.yaml": nodeHealthCheck, "broken.yaml": older + "---\na: [b",
		"lossy.yaml": older + "  remediationTemplate: {kind: ATemplate}\n", "variables.yaml": strings.ReplaceAll(older, "blue", "${NAME:=blue}"),
		"chart/templates/a.yaml": "{{- if .on }}\n" + older + "{{- end }}\n---\n{{ x }}\n---\n" + fine, "chart/templates/b.yaml": older,
	})
	if err := os.Symlink("nowhere", "chart/templates/c.yaml"); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		args string
		code int
		want string
	}{
		"converted":           {"-f older.yaml", exitOK, "unhealthyLessThanOrEqualTo: 40%"},
		"as it is today":      {"-f fine.yaml", exitOK, fine},
		"of another kind":     {"-f other.yaml", exitOK, "other.yaml:1: ConfigMap other was passed through\n"},
		"something is lost":   {"-f lossy.yaml", exitFailure, "lossy.yaml:9: not converted: spec.remediationTemplate: a template needs an apiVersion"},
		"no cluster":          {"-f nhc.yaml", exitFailure, "nhc.yaml:2: not converted: it stays as it is: it names no cluster; give --cluster NAME\n"},
		"no YAML":             {"-f broken.yaml", exitUsage, "broken.yaml:10: not read: did not find expected ',' or ']'\nsickbay: 1 file could not be read, or only in part: broken.yaml\n"},
		"the rest of a file":  {"-f broken.yaml", exitUsage, "unhealthyLessThanOrEqualTo: 40%"},
		"the rest of a chart": {"-f chart -R", exitUsage, "unhealthyLessThanOrEqualTo: 40%"},
		"a chart": {"-f chart -R", exitUsage, "chart/templates/a.yaml:1: not read: it is a template, with {{- if .on }}: render it first: helm template chart | sickbay convert -f -\n" +
			"chart/templates/c.yaml:1: not read: open chart/templates/c.yaml: no such file or directory\n" +
			"sickbay: 2 files could not be read, or only in part: chart/templates/a.yaml, chart/templates/c.yaml\n"},
		"both": {"-f broken.yaml -f lossy.yaml", exitUsage, "sickbay: 1 thing could not be converted; 1 file could not be read, or only in part: broken.yaml\n"},
		"variables": {"-f variables.yaml", exitFailure, "variables.yaml:4: not converted: it stays as it is: it is a template, with ${NAME:=blue}: " +
			"render it first: clusterctl generate yaml --from variables.yaml | sickbay convert -f -\nsickbay: 1 thing could not be converted\n"},
		"a file that is not":   {"-f gone.yaml", exitUsage, "gone.yaml: no such file"},
		"no file":              {"", exitUsage, "-f is missing"},
		"a directory":          {"-f .", exitUsage, "broken.yaml:10"},
		"an unknown flag":      {"-f fine.yaml --live", exitUsage, "unknown flag: --live"},
		"several, told apart":  {"-f other.yaml -f older.yaml", exitOK, other + "---\napiVersion: cluster.x-k8s.io/v1beta2"},
		"several, as they are": {"-f fine.yaml -f other.yaml", exitOK, fine + "---\n" + other},
	} {
		t.Run(name, func(t *testing.T) {
			offline(t, append([]string{"convert"}, strings.Fields(tt.args)...)...).ends(t, tt.code, tt.want)
		})
	}
}

// TestConvertStdin: convert works as a filter.
func TestConvertStdin(t *testing.T) {
	var stdout, stderr bytes.Buffer
	root := newRoot("sickbay")
	root.SetArgs([]string{"convert", "-f", "-"})
	root.SetIn(strings.NewReader(other + "---\n" + older))
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(stdout.String(), other+"---\napiVersion: cluster.x-k8s.io/v1beta2\n") || stderr.String() != "<stdin>:1: ConfigMap other was passed through\n" {
		t.Errorf("printed %q, %q", &stdout, &stderr)
	}
}
