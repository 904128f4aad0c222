package looks

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func at(version string) client.Object {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, ResourceVersion: version}}
}

// TestOwnEventsAreDropped, whether they come before or after the answer to the write; those of others are not.
func TestOwnEventsAreDropped(t *testing.T) {
	for name, tt := range map[string]struct {
		steps  func(w *Writes) (dropped []bool)
		want   string
		others bool
	}{
		"after the write":     {func(w *Writes) []bool { w.Wrote(key, "2"); w.End(key); return []bool{w.Take(at("2"))} }, "[true]", false},
		"before the answer":   {func(w *Writes) []bool { d := w.Take(at("2")); w.Wrote(key, "2"); return []bool{d} }, "[true]", false},
		"others before ours":  {func(w *Writes) []bool { d := w.Take(at("2")); w.Wrote(key, "3"); return []bool{d} }, "[true]", true},
		"a write that failed": {func(w *Writes) []bool { return []bool{w.Take(at("2"))} }, "[true]", true},
		"two writes, one after": {func(w *Writes) []bool {
			w.Wrote(key, "2")
			w.Wrote(key, "3")
			w.End(key)
			return []bool{w.Take(at("2")), w.Take(at("3"))}
		}, "[true true]", false},
		"only the last is seen": {func(w *Writes) []bool {
			w.Wrote(key, "2")
			w.Wrote(key, "3")
			w.End(key)
			return []bool{w.Take(at("3")), w.Take(at("2"))}
		}, "[true false]", false},
		"others after ours":         {func(w *Writes) []bool { w.Wrote(key, "2"); w.End(key); return []bool{w.Take(at("2")), w.Take(at("3"))} }, "[true false]", false},
		"the same a second time":    {func(w *Writes) []bool { w.Wrote(key, "2"); w.End(key); return []bool{w.Take(at("2")), w.Take(at("2"))} }, "[true false]", false},
		"of an object that is gone": {func(w *Writes) []bool { w.Wrote(key, "2"); w.Forget(key); return []bool{w.Take(at("2"))} }, "[false]", false},
	} {
		t.Run(name, func(t *testing.T) {
			var w Writes
			w.Begin(key)
			if got := fmt.Sprint(tt.steps(&w)); got != tt.want {
				t.Errorf("dropped %s, want %s", got, tt.want)
			}
			if got := w.End(key); got != tt.others {
				t.Errorf("others have written: %t", got)
			}
		})
	}
}

// TestWritesAreForgotten: an object whose events have come takes no memory, and one whose events never come little.
func TestWritesAreForgotten(t *testing.T) {
	var w Writes
	for i := range 100 {
		w.Begin(key)
		w.Wrote(key, fmt.Sprint(i))
		w.End(key)
	}
	if got := len(w.of[key].own); got > maxVersions {
		t.Errorf("%d versions are kept", got)
	}
	if !w.Take(at("99")) || len(w.of) > 0 {
		t.Errorf("then %+v is kept", w.of)
	}
}

// TestSame: an event is only about our writes if nothing else has changed.
func TestSame(t *testing.T) {
	widget := func(change func(content map[string]any)) client.Object {
		content := map[string]any{
			"apiVersion": "v1", "kind": "Widget", "metadata": map[string]any{"name": "w", "resourceVersion": "1"}, "spec": map[string]any{"size": int64(1)},
		}
		change(content)
		return &unstructured.Unstructured{Object: content}
	}
	set := func(value any, path ...string) func(map[string]any) {
		return func(content map[string]any) {
			if err := unstructured.SetNestedField(content, value, path...); err != nil {
				t.Fatal(err)
			}
		}
	}
	condition := func(conditionType string) any {
		return []any{map[string]any{"type": conditionType, "status": "True"}}
	}
	plain := widget(func(map[string]any) {})
	for name, tt := range map[string]struct {
		after client.Object
		want  bool
	}{
		"nothing":              {plain, true},
		"the version":          {widget(set("2", "metadata", "resourceVersion")), true},
		"our clock":            {widget(set("{}", "metadata", "annotations", "clock")), true},
		"our condition":        {widget(set(condition("Ours"), "status", "conditions")), true},
		"a foreign annotation": {widget(set("{}", "metadata", "annotations", "other")), false},
		"a foreign condition":  {widget(set(condition("Theirs"), "status", "conditions")), false},
		"another status":       {widget(set("x", "status", "phase")), false},
		"the spec":             {widget(set(int64(2), "spec", "size")), false},
		"a label":              {widget(set("x", "metadata", "labels", "a")), false},
		"a deletion":           {widget(set("2026-01-01T12:00:00Z", "metadata", "deletionTimestamp")), false},
		"odd conditions":       {widget(set("odd", "status", "conditions")), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Same(plain, tt.after, "clock", []string{"Ours"}); got != tt.want {
				t.Errorf("Same is %t", got)
			}
			if got := Same(tt.after, plain, "clock", []string{"Ours"}); got != tt.want {
				t.Errorf("the other way round it is %t", got)
			}
		})
	}
	typed := at("1")
	typed.SetLabels(map[string]string{"a": "b"})
	if !Same(typed, typed, "clock", nil) || Same(typed, at("2"), "clock", nil) {
		t.Error("typed objects are compared in another way")
	}
}
