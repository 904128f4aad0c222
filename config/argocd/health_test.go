// Package argocd_test runs the health scripts for Argo CD as its own tests run those that it ships (resource_customizations), so that they can go there as
// they are.
package argocd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/config/crd"
	"github.com/sickbay-dev/sickbay/internal/testing/health"
)

// status is what a script answers.
type status struct{ Status, Message string }

// sample is one of the objects that a script is tried with. What the controllers' tests store are the inputs.
type sample struct {
	InputPath    string
	HealthStatus status
}

func TestScripts(t *testing.T) {
	kinds := 0
	for _, dir := range glob(t, "sickbay.dev/*") {
		kinds++
		script := read(t, filepath.Join(dir, "health.lua"))
		var tests struct{ Tests []sample }
		parse(t, filepath.Join(dir, "health_test.yaml"), &tests)
		if inputs := glob(t, filepath.Join(dir, "testdata/*")); len(inputs) != len(tests.Tests) {
			t.Errorf("%s has %d inputs and %d tests", dir, len(inputs), len(tests.Tests))
		}
		for _, tt := range tests.Tests {
			path := filepath.Join(dir, tt.InputPath)
			t.Run(path, func(t *testing.T) {
				obj := &unstructured.Unstructured{}
				data, err := yaml.YAMLToJSON([]byte(read(t, path)))
				if err == nil {
					err = obj.UnmarshalJSON(data)
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.HealthStatus, run(t, script, obj.Object)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				agrees(t, obj, tt.HealthStatus.Status)
			})
		}
	}
	if all, err := crd.YAML(); err != nil || kinds != strings.Count(string(all), "\nkind: CustomResourceDefinition\n") {
		t.Errorf("there are scripts for %d kinds, and not for each: %v", kinds, err)
	}
}

// agrees asserts that kstatus answers the same in its words, in which nothing is suspended.
func agrees(t *testing.T, obj *unstructured.Unstructured, argo string) {
	t.Helper()
	word := map[string]string{"Healthy": "Current", "Degraded": "Failed", "Progressing": "InProgress", "Suspended": "InProgress"}[argo]
	if got, _, _ := strings.Cut(health.KStatus(t, obj), " "); got != word {
		t.Errorf("Argo CD says %s, and kstatus %s", argo, got)
	}
}

// run runs a script as Argo CD does: without the libraries that reach beyond it.
func run(t *testing.T, script string, obj map[string]any) status {
	t.Helper()
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	for name, open := range map[string]lua.LGFunction{lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		if err := l.CallByParam(lua.P{Fn: l.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			t.Fatal(err)
		}
	}
	l.SetGlobal("obj", value(l, obj))
	if err := l.DoString(script); err != nil {
		t.Fatal(err)
	}
	answer, ok := l.Get(-1).(*lua.LTable)
	if !ok {
		t.Fatalf("it returns %s", l.Get(-1))
	}
	return status{lua.LVAsString(answer.RawGetString("status")), lua.LVAsString(answer.RawGetString("message"))}
}

// value is a value of JSON in Lua.
func value(l *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case bool:
		return lua.LBool(v)
	case int64:
		return lua.LNumber(v)
	case string:
		return lua.LString(v)
	case []any:
		list := l.NewTable()
		for _, one := range v {
			list.Append(value(l, one))
		}
		return list
	case map[string]any:
		table := l.NewTable()
		for key, one := range v {
			table.RawSetString(key, value(l, one))
		}
		return table
	}
	return lua.LNil
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(t *testing.T, path string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, path)), into); err != nil {
		t.Fatal(err)
	}
}
