package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// TestReferenceConvert renders the manifest of a draft as convert writes it today.
func TestReferenceConvert(t *testing.T) {
	documentation := inDirectory(t, map[string]string{"mhc.yaml": fileOf(t, "../convert/testdata/seed.yaml")})
	_, stdout, stderr := runFiles(t, "convert", "-f", "mhc.yaml")
	docs.Section(t, documentation, "convert", "```\n$ sickbay convert -f mhc.yaml > today.yaml\n"+stderr+"```\n\n```yaml\n"+stdout+"```\n")
	inDirectory(t, map[string]string{"nhc.yaml": nodeHealthCheck})
	_, stdout, stderr = runFiles(t, "convert", "-f", "nhc.yaml", "--cluster", "blue", "-n", "default")
	docs.Section(t, documentation, "convert a NodeHealthCheck", "```yaml\n"+nodeHealthCheck+"```\n\n```\n$ sickbay convert -f nhc.yaml --cluster blue -n default > plan.yaml\n"+stderr+"```\n\n```yaml\n"+stdout+"```\n")
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

// TestConvertExitCodes: 0 if everything was converted, 1 if something could not be, 2 if something could not be read.
func TestConvertExitCodes(t *testing.T) {
	inDirectory(t, map[string]string{
		"fine.yaml": fine, "older.yaml": older, "other.yaml": other, "nhc.yaml": nodeHealthCheck, "broken.yaml": older + "---\na: [b",
		"lossy.yaml": older + "  remediationTemplate: {kind: ATemplate}\n",
	})
	for name, tt := range map[string]struct {
		args string
		code int
		want string
	}{
		"converted":            {"-f older.yaml", exitOK, "unhealthyLessThanOrEqualTo: 40%"},
		"as it is today":       {"-f fine.yaml", exitOK, fine},
		"of another kind":      {"-f other.yaml", exitOK, "other.yaml:1: ConfigMap other was passed through\n"},
		"something is lost":    {"-f lossy.yaml", exitFailure, "lossy.yaml:9: not converted: spec.remediationTemplate: a template needs an apiVersion"},
		"no cluster":           {"-f nhc.yaml", exitFailure, "nhc.yaml:2: not converted: it stays as it is: it names no cluster; give --cluster NAME\n"},
		"no YAML":              {"-f broken.yaml", exitUsage, "sickbay: broken.yaml:10: did not find expected"},
		"a file that is not":   {"-f gone.yaml", exitUsage, "gone.yaml: no such file"},
		"no file":              {"", exitUsage, "--filename is missing"},
		"a directory":          {"-f .", exitUsage, "broken.yaml:10"},
		"an unknown flag":      {"-f fine.yaml --live", exitUsage, "unknown flag: --live"},
		"several, told apart":  {"-f other.yaml -f older.yaml", exitOK, other + "---\napiVersion: cluster.x-k8s.io/v1beta2"},
		"several, as they are": {"-f fine.yaml -f other.yaml", exitOK, fine + "---\n" + other},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := runFiles(t, append([]string{"convert"}, strings.Fields(tt.args)...)...)
			if code != tt.code || !strings.Contains(stdout+stderr, tt.want) {
				t.Errorf("exit code is %d, want %d, and %q in\n%s%s", code, tt.code, tt.want, stdout, stderr)
			}
			if code == exitUsage && stdout != "" {
				t.Errorf("printed %q", stdout)
			}
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
