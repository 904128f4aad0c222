package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/simulate"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// workers returns the manifest of a MachineHealthCheck, with additions to its spec.
func workers(remediation string) string {
	return `apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata:
  name: workers
  annotations:
    sickbay.dev/max-in-flight: "1"
spec:
  clusterName: blue
  selector:
    matchLabels:
      cluster.x-k8s.io/cluster-name: blue
  checks:
    nodeStartupTimeoutSeconds: 600
    unhealthyNodeConditions:
    - {type: Ready, status: Unknown, timeoutSeconds: 300}
` + remediation
}

const (
	mostOne   = "  remediation:\n    triggerIf:\n      unhealthyLessThanOrEqualTo: 1\n"
	byPlan    = "  remediation:\n    templateRef: {apiVersion: sickbay.dev/v1alpha1, kind: MachineRemediationTemplate, name: metal}\n"
	metalPlan = `---
apiVersion: sickbay.dev/v1alpha1
kind: MachineRemediationTemplate
metadata:
  name: metal
spec:
  template:
    spec:
      maxInFlight: 1
      steps:
      - {name: reboot, action: Reboot, attempts: 2, timeoutSeconds: 1200}
      - {name: replace, action: Replace, timeoutSeconds: 3600, approval: Required}
`
)

// written writes a file as a person would before applying it.
func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mhc.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// simulating returns a fleet of four machines, two of them sick.
func simulating(t *testing.T) *shell {
	t.Helper()
	s := newShell(t)
	s.machine("metal-1", judgedAs(metav1.ConditionTrue), inZone("eu-1a"))
	s.machine("metal-2", judgedAs(metav1.ConditionTrue), inZone("eu-1b"))
	s.machine("metal-3", inZone("eu-1b"))
	s.machine("metal-4", inZone("eu-1b"))
	return s
}

// TestSimulate: the exit code says whether anything would be repaired, and nothing is written.
func TestSimulate(t *testing.T) {
	t.Parallel()
	s := simulating(t)
	byMetal := strings.Replace(workers(byPlan), "  annotations:\n    sickbay.dev/max-in-flight: \"1\"\n", "", 1) + metalPlan
	tests := map[string]struct {
		file string
		args []string
		code int
		says []string
	}{
		"one slot": {workers(""), nil, exitFailure, []string{
			"/workers (changed): OPEN; 4 machines: 2 healthy, 2 sick, 0 undecided", "Slots    0 of 1 in use", "2 of 4       1 of 1  metal-3", "goes into repair; step replace begins",
			"metal-4  waits for a slot", "Within 2h, repairs would begin on 2 of 2 sick machines, at most 1 at once. At the end: 2 replaced",
		}},
		"a limit": {workers(mostOne), nil, exitOK, []string{
			"CLOSED, no repairs begin", "metal-3, metal-4  are held back: the gate is closed", "Nothing would be repaired within 2h. 2 machines are sick; at the end 2 not healthy (the gate is closed)",
		}},
		"a plan, in vain": {byMetal, []string{"--in-vain", "--until=1h"}, exitFailure, []string{
			"Plan     reboot, up to 2 times; replace (needs approval)", "reboot 1 of 2 times out; step reboot begins", "step replace needs approval", "(waiting for approval): metal-3",
		}},
		"owners that refuse": {workers(""), []string{"--assume=owners=refuse"}, exitFailure, []string{
			"owners refuse to replace machines", "At the end: 2 not healthy (MachineSet md-0 refuses to replace machines)",
		}},
		"repairs in vain that fail": {byMetal, []string{"--in-vain", "--assume=repairs=fail", "--until=1h"}, exitFailure, []string{
			"after 10m a reboot or a request fails; a replaced machine has a successor whose Node never appears", "reboot 1 of 2 fails",
		}},
		"more fall sick": {workers(""), []string{"--fail=zone=eu-1a", "--until=5m"}, exitFailure, []string{
			"the Nodes of 1 of 4 machines stop being Ready now (zone=eu-1a: metal-1)", "metal-1  the Node stops being Ready", "3 of 4",
		}},
		"another health check": {strings.Replace(workers(""), "name: workers", "name: others", 1), nil, exitFailure, []string{"/others (new): OPEN; 4 machines", "repairs would begin on 2 of 2 sick machines"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := s.run(append([]string{"simulate", atOnce, "-f", written(t, test.file)}, test.args...)...)
			if got.code != test.code || quietly(got.stderr) != "" {
				t.Errorf("exit code is %d, want %d: %s", got.code, test.code, got.stderr)
			}
			for _, want := range test.says {
				if !strings.Contains(got.stdout, want) {
					t.Errorf("it does not say %q:\n%s", want, got.stdout)
				}
			}
		})
	}
}

// TestSimulateFleet plays the fleet without files, and prints for programs.
func TestSimulateFleet(t *testing.T) {
	t.Parallel()
	s := simulating(t)
	got := s.run("simulate", atOnce, "-o", "json")
	result := simulate.Result{}
	if err := json.Unmarshal([]byte(got.stdout), &result); err != nil {
		t.Fatalf("%v: %s", err, got.stderr)
	}
	if got.code != exitFailure || result.APIVersion != explain.APIVersion || result.Kind != "Simulation" || result.Summary.Repaired != 2 || result.Summary.Replaced != 2 {
		t.Errorf("exit code is %d, result is %+v", got.code, result)
	}
}

// TestSimulateRefuses: invalid input gives one line and exit code 2.
func TestSimulateRefuses(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	tests := map[string]struct {
		file string
		args []string
		want string
	}{
		"a field that does not exist": {workers("  maxUnhealthy: 40%\n"), nil, "FILE:16: error: spec.maxUnhealthy: there is no such field"},
		"no YAML":                     {"kind: [", nil, "FILE:1: error: did not find expected node content"},
		"an older version":            {"apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: a}\nspec:\n  clusterName: blue\n  selector: {matchLabels: {a: b}}\n", nil, "FILE, document 1: MachineHealthCheck of cluster.x-k8s.io/v1beta1 cannot be simulated: it must be a MachineHealthCheck of cluster.x-k8s.io/v1beta2"},
		"another kind":                {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", nil, "FILE, document 1: Pod of v1 cannot be simulated"},
		"no kind":                     {"metadata: {name: a}\n", nil, "FILE, document 1: it has no apiVersion or no kind"},
		"no name":                     {strings.Replace(workers(""), "name: workers", "namespace: ''", 1), nil, "FILE:3: error: metadata.name: it is required"},
		"twice the same":              {workers("") + "---\n" + workers(""), nil, "FILE:20: error: metadata.name: FILE:1 has a MachineHealthCheck workers of this name already"},
		"a step without time":         {metalPlan + "      - {name: more, action: Wait}\n", nil, "FILE:13: error: spec.template.spec.steps[2].timeoutSeconds: it is required"},
		"nothing in it":               {"# nothing\n", nil, "FILE has no documents"},
		"another namespace":           {strings.Replace(workers(""), "name: workers", "name: workers\n  namespace: elsewhere", 1), nil, "workers is in namespace elsewhere, but --namespace is fleet"},
		"another cluster":             {strings.NewReplacer("clusterName: blue", "clusterName: red", "cluster-name: blue", "cluster-name: red").Replace(workers("")), nil, `MachineHealthCheck fleet/workers is for Cluster "red", which does not exist in that namespace`},
		"a plan for nobody":           {metalPlan, nil, "no MachineHealthCheck in namespace fleet names MachineRemediationTemplate metal, so it changes nothing"},
		"what cannot fail":            {workers(""), []string{"--fail=rack=r7"}, `--fail "rack=r7" is not valid: it must be zone=NAME, a percentage up to 100%, or machine/NAME`},
		"what cannot be assumed":      {workers(""), []string{"--assume=owners=flee"}, `--assume "owners=flee" cannot be assumed: it must be one of owners=as-they-are, owners=replace, owners=refuse, `},
		"nobody to fail":              {workers(""), []string{"--fail=machine/metal-9"}, "machine metal-9 does not belong to any of these MachineHealthChecks"},
		"the past":                    {workers(""), []string{"--until=-1h"}, "--until is -1h0m0s: it must be greater than 0"},
		"no time at all":              {workers(""), []string{"--repair-takes=0s"}, "--repair-takes is 0s: it must be greater than 0"},
		"another form":                {workers(""), []string{"-o=xml"}, `--output is "xml"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := written(t, test.file)
			got := s.run(append([]string{"simulate", atOnce, "-f", file}, test.args...)...)
			said := strings.ReplaceAll(s.scrub(quietly(got.stderr)), file, "FILE")
			if got.code != exitUsage || !strings.HasPrefix(said, "sickbay: ") || !strings.Contains(said, test.want) || strings.Count(said, "\n") != 1 {
				t.Errorf("exit code is %d, and it says %q, want %q", got.code, said, test.want)
			}
		})
	}
	if got := s.run("simulate", "-f", "/does/not/exist"); got.code != exitUsage || !strings.Contains(got.stderr, "/does/not/exist: no such file or directory") {
		t.Errorf("a file that is not there: %+v", got)
	}
}

func inZone(zone string) build.MachineOption {
	return build.MachineFunc(func(m *clusterv1.Machine) { m.Spec.FailureDomain = zone })
}

// quietly removes the line that says that the fleet is being read; it appears when many tests run at once.
func quietly(stderr string) string { return strings.ReplaceAll(stderr, "Reading the fleet ...\n", "") }

// TestSimulation prints a result as text. Its timeline is a golden file of internal/simulate.
func TestSimulation(t *testing.T) {
	t.Parallel()
	result := simulate.Result{}
	if err := json.Unmarshal([]byte(docs.Text(t, "../simulate/testdata/result.json")), &result); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	newText(&b).simulation(&result, false)
	docs.Golden(t, "simulate", b.String())
	result.Timeline = slices.Repeat(result.Timeline, 5)
	b.Reset()
	newText(&b).simulation(&result, false)
	if want := fmt.Sprintf("\n  and %d more (-o wide)\n", len(result.Timeline)-longest); !strings.Contains(b.String(), want) {
		t.Errorf("a long timeline is not cut:\n%s", b.String())
	}
}

// TestSimulateLooksAt: the files determine the namespaces, unless a flag does.
func TestSimulateLooksAt(t *testing.T) {
	t.Parallel()
	in := func(namespaces ...string) []client.Object {
		var objs []client.Object
		for _, namespace := range namespaces {
			objs = append(objs, build.MachineHealthCheck(namespace, "workers"))
		}
		return objs
	}
	tests := map[string]struct {
		asked     string
		all       bool
		objs      []client.Object
		namespace string
		looksAll  bool
		fails     bool
	}{
		"nothing said":        {objs: in("")},
		"one of them":         {objs: in("", "blue", "blue"), namespace: "blue"},
		"several":             {objs: in("blue", "green", "red"), looksAll: true},
		"the flag agrees":     {asked: "blue", objs: in("blue", ""), namespace: "blue"},
		"the flag disagrees":  {asked: "blue", objs: in("green"), namespace: "blue", fails: true},
		"all are looked at":   {all: true, objs: in("green", "blue"), looksAll: true},
		"no file, a flag":     {asked: "blue", namespace: "blue"},
		"no file, no flag":    {},
		"the last is another": {objs: in("blue", "", "green"), looksAll: true},
	}
	for name, test := range tests {
		f := simulateFlags{}
		f.overrides.Context.Namespace, f.all = test.asked, test.all
		err := f.lookAt(test.objs)
		if (err != nil) != test.fails || f.all != test.looksAll || f.overrides.Context.Namespace != test.namespace {
			t.Errorf("%s: it looks at %q, all: %v, error: %v", name, f.overrides.Context.Namespace, f.all, err)
		}
	}
}

// TestSimulateOwnersAsTheyAre: what keeps an owner from replacing machines is read, and its machines stay sick.
func TestSimulateOwnersAsTheyAre(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(s *shell)
		says   []string
	}{
		"paused": {func(s *shell) {
			s.change(s.set, func() { metav1.SetMetaDataAnnotation(&s.set.ObjectMeta, clusterv1.PausedAnnotation, "") })
		}, []string{"MachineSet md-0 is paused, so it replaces no machine", "At the end: 2 not healthy (MachineSet md-0 is paused): metal-3, metal-4"}},
		"where none is allowed": {func(s *shell) {
			d := &clusterv1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "md"}}
			d.Spec.ClusterName, d.Spec.Selector, d.Spec.Template = "blue", s.set.Spec.Selector, s.set.Spec.Template
			d.Spec.Remediation.MaxInFlight = new(intstr.FromInt32(0))
			build.Create(s.t.Context(), s.t, s.c, d)
			s.change(s.set, func() { s.set.Labels = map[string]string{clusterv1.MachineDeploymentNameLabel: "md"} })
		}, []string{"MachineDeployment md allows no remediation (spec.remediation.maxInFlight), so MachineSet md-0 replaces no machine", "At the end: 2 not healthy (MachineDeployment md allows no remediation (spec.remediation.maxInFlight)): metal-3, metal-4"}},
		"of an older revision, under OnDelete": {func(s *shell) {
			d := &clusterv1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "md", Annotations: map[string]string{clusterv1.RevisionAnnotation: "2"}}}
			d.Spec.ClusterName, d.Spec.Selector, d.Spec.Template = "blue", s.set.Spec.Selector, s.set.Spec.Template
			d.Spec.Rollout.Strategy.Type = clusterv1.OnDeleteMachineDeploymentStrategyType
			build.Create(s.t.Context(), s.t, s.c, d)
			s.change(s.set, func() {
				s.set.Labels = map[string]string{clusterv1.MachineDeploymentNameLabel: "md"}
				metav1.SetMetaDataAnnotation(&s.set.ObjectMeta, clusterv1.RevisionAnnotation, "1")
			})
		}, []string{"MachineDeployment md has the strategy OnDelete, so MachineSet md-0 replaces no machine", "At the end: 2 not healthy (MachineDeployment md has the strategy OnDelete): metal-3, metal-4"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := simulating(t)
			tt.change(s)
			got := s.run("simulate", atOnce, "-f", written(t, workers("")))
			for _, want := range tt.says {
				if !strings.Contains(got.stdout, want) {
					t.Errorf("it does not say %q:\n%s%s", want, got.stdout, got.stderr)
				}
			}
		})
	}
}

// TestSimulateLoop: a health check that finds every new machine sick is told as a loop, and -o wide shows all of it.
func TestSimulateLoop(t *testing.T) {
	t.Parallel()
	s := simulating(t)
	beskar := workers("    unhealthyMachineConditions:\n    - {type: InfrastructureReady, status: \"False\", timeoutSeconds: 0}\n")
	beskar = strings.Replace(beskar, "max-in-flight: \"1\"", "max-in-flight: \"2\"", 1)
	got := s.run("simulate", atOnce, "-f", written(t, beskar), "--until=24h")
	for _, want := range []string{
		"begins with InfrastructureReady=False, for 10m, as no machine shows how long",
		"go on like this: each successor falls sick as the machine before it: Machine condition InfrastructureReady is False for more than 0s",
		"At the end: 2 not healthy (each successor falls sick as the machine before it): metal-3, metal-4",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("it does not say %q:\n%s%s", want, got.stdout, got.stderr)
		}
	}
	if lines := strings.Count(got.stdout, "\n"); lines > 40 {
		t.Errorf("%d lines for a loop:\n%s", lines, got.stdout)
	}
	if wide := s.run("simulate", atOnce, "-f", written(t, beskar), "--until=24h", "-o", "wide"); strings.Count(wide.stdout, "\n") < 200 {
		t.Errorf("-o wide leaves things out:\n%s", wide.stdout)
	}
}

// TestSimulateTemplates: a file that has to be rendered first is not simulated, whatever is in it.
func TestSimulateTemplates(t *testing.T) {
	for _, text := range []string{"{{- if .x }}\nkind: Secret\n{{ end }}\n", "{{- if .x }}\n" + fine + "{{ end }}\n"} {
		if changes, err := readChanges([]manifest.File{{Name: "a.yaml", Data: []byte(text)}}); err == nil || !strings.HasPrefix(err.Error(), "a.yaml:1: ") {
			t.Errorf("%q: %+v, %v", text, changes, err)
		}
	}
}
