package convert

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// stream converts all documents of a stream.
func stream(t testing.TB, file string, data []byte, o Options) (converted string, notes []Note) {
	t.Helper()
	documents, problems := manifest.Parse(file, data)
	for _, problem := range problems {
		t.Fatal(problem)
	}
	for _, document := range documents {
		text, some := Document(document, o)
		converted += text
		notes = append(notes, some...)
	}
	return converted, notes
}

var options = Options{Cluster: "blue", Namespace: "default"}

// TestGolden shows the conversion of each dialect, and its notes.
func TestGolden(t *testing.T) {
	for file, text := range docs.Texts(t, "testdata/*.yaml") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			got, notes := stream(t, filepath.Base(file), []byte(text), options)
			got += "\n===\n"
			for _, note := range notes {
				got += fmt.Sprintf("%s:%d lost=%t %s: %s\n", note.File, note.Line, note.Lost, note.Field, note.Message)
			}
			docs.File(t, strings.TrimSuffix(file, ".yaml")+".golden", got)
		})
	}
}

// TestTemplateOf: the first thing to fill in is that of a health check, of what has some, or of a plan.
func TestTemplateOf(t *testing.T) {
	const capi, named = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: ", "\nmetadata: {name: '${A}'}\nspec: "
	for text, want := range map[string]bool{
		capi + "MachineHealthCheck" + named + "{}": true, capi + "Cluster" + named + "{topology: {class: a}}": true, capi + "ClusterClass" + named + "{}": true,
		capi + "Cluster" + named + "{paused: true}": false, "apiVersion: v1\nkind: Secret" + named + "{}": false,
		"apiVersion: sickbay.dev/v1alpha1\nkind: MachineRemediationTemplate" + named + "{}": true, "# ${A}\n": false,
	} {
		documents, _ := manifest.Parse("a.yaml", []byte(text))
		if got := TemplateOf(documents[0]); (got != nil) != want || want && got.Line != 3 {
			t.Errorf("%s\ngot %+v, want one: %t", text, got, want)
		}
	}
}

// TestDryRun: if more might be done to machines than before, nothing is done until somebody has checked.
func TestDryRun(t *testing.T) {
	const (
		openShift = "apiVersion: machine.openshift.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {%s}}\n" +
			"  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n"
		nodes  = "apiVersion: remediation.medik8s.io/v1alpha1\nkind: NodeHealthCheck\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {%s}}\n  %s\n  escalatingRemediations:\n%s"
		self   = "  - {order: 1, timeout: 5m, remediationTemplate: {apiVersion: self-node-remediation.medik8s.io/v1alpha1, kind: SelfNodeRemediationTemplate, name: a}}\n"
		metal  = "  - {order: 1, timeout: 5m, remediationTemplate: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: Metal3RemediationTemplate, name: a}}\n"
		remove = "  - {order: 2, timeout: 5m, remediationTemplate: {apiVersion: machine-deletion-remediation.medik8s.io/v1alpha1, kind: MachineDeletionRemediationTemplate, name: a}}\n"
		bad    = "  - {order: 0, timeout: soon, remediationTemplate: {apiVersion: a.example.com/v1, kind: ATemplate, name: a}}\n"
	)
	const masters = `node-role.kubernetes.io/master: ""`
	for name, tt := range map[string]struct {
		text    string
		careful bool
	}{
		"a label of one's own":           {fmt.Sprintf(openShift, "team: red"), false},
		"masters":                        {fmt.Sprintf(openShift, openShiftRole+": master"), false},
		"workers":                        {fmt.Sprintf(openShift, openShiftRole+": worker"), true},
		"workers of one set":             {fmt.Sprintf(openShift, openShiftRole+": worker, "+openShiftSet+": a"), false},
		"a role that somebody made up":   {fmt.Sprintf(openShift, openShiftRole+": infra"), true},
		"a template that is none":        {fmt.Sprintf(openShift, "team: red") + "  remediationTemplate: {kind: A}\n", true},
		"masters' Nodes":                 {fmt.Sprintf(nodes, masters, "minHealthy: 51%", metal), false},
		"workers' Nodes":                 {fmt.Sprintf(nodes, `node-role.kubernetes.io/worker: ""`, "minHealthy: 51%", metal), true},
		"a label that Machines share":    {fmt.Sprintf(nodes, "node.cluster.x-k8s.io/pool: a", "minHealthy: 51%", metal), false},
		"a label of Nodes":               {fmt.Sprintf(nodes, "kubernetes.io/os: linux", "minHealthy: 51%", metal), true},
		"a number of healthy Nodes":      {fmt.Sprintf(nodes, masters, "minHealthy: 2", metal), true},
		"a number of unhealthy Nodes":    {fmt.Sprintf(nodes, masters, "maxUnhealthy: 2", metal), false},
		"a request, then Replace":        {fmt.Sprintf(nodes, masters, "minHealthy: 51%", metal+remove), false},
		"a Node's request alone":         {fmt.Sprintf(nodes, masters, "minHealthy: 51%", self), false},
		"a Node's request, then Replace": {fmt.Sprintf(nodes, masters, "minHealthy: 51%", self+remove), true},
		"a step that is lost":            {fmt.Sprintf(nodes, masters, "minHealthy: 51%", bad+remove), true},
		"no step at all":                 {fmt.Sprintf(nodes, masters, "minHealthy: 51%", bad), true},
	} {
		t.Run(name, func(t *testing.T) {
			converted, _ := stream(t, "a.yaml", []byte(tt.text), options)
			if !strings.Contains(converted, "apiVersion: cluster.x-k8s.io/v1beta2") {
				t.Fatalf("it is not converted:\n%s", converted)
			}
			if got := strings.Contains(converted, `sickbay.dev/dry-run: "true"`); got != tt.careful {
				t.Errorf("a dry-run: %t, want %t:\n%s", got, tt.careful, converted)
			}
		})
	}
}

// TestJSON: JSON stays JSON.
func TestJSON(t *testing.T) {
	const text = `{"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "MachineHealthCheck", "metadata": {"name": "a"}, "spec": {"clusterName": "b", ` +
		`"selector": {"matchLabels": {"pool": "y"}}, "maxUnhealthy": "40%", "unhealthyConditions": [{"type": "Ready", "status": "Unknown", "timeout": "5m"}]}}`
	converted, notes := stream(t, "a.json", []byte(text), options)
	var got map[string]any
	if err := json.Unmarshal([]byte(converted), &got); err != nil || len(notes) > 0 {
		t.Errorf("%v, %v: %s", err, notes, converted)
	}
	if got["apiVersion"] != "cluster.x-k8s.io/v1beta2" {
		t.Errorf("it is not converted: %s", converted)
	}
}

// TestDefaultLimit: a NodeHealthCheck without a limit has one. Without it, all Machines could be repaired at once.
func TestDefaultLimit(t *testing.T) {
	for name, tt := range map[string]struct{ limit, want string }{
		"none":                       {"", "49%"},
		"null":                       {"  minHealthy: null\n", "49%"},
		"both null":                  {"  minHealthy: null\n  maxUnhealthy: null\n", "49%"},
		"a limit beside one of null": {"  minHealthy: 60%\n  maxUnhealthy: null\n", "40%"},
		"given":                      {"  maxUnhealthy: 30%\n", "30%"},
	} {
		t.Run(name, func(t *testing.T) {
			converted, _ := stream(t, "a.yaml", []byte("apiVersion: remediation.medik8s.io/v1alpha1\nkind: NodeHealthCheck\nmetadata: {name: a}\nspec:\n"+
				"  selector: {matchLabels: {node-role.kubernetes.io/control-plane: \"\"}}\n"+tt.limit), options)
			if !strings.Contains(converted, "unhealthyLessThanOrEqualTo: "+tt.want) {
				t.Errorf("the limit is not %s:\n%s", tt.want, converted)
			}
		})
	}
}
