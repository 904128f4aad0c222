package healthcheck_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// FuzzAnnotationProgress: any content of the annotation is either read or ignored.
func FuzzAnnotationProgress(f *testing.F) {
	f.Add("nodes", `{"Ready|check|cause":{"since":"2026-11-23T00:00:00Z","seen":2}}`)
	f.Add("a name that is none", `{"|":{}}`)
	f.Add("", `null`)
	f.Add("x", `{"a":7}`)
	f.Fuzz(func(t *testing.T, name, value string) {
		node := &corev1.Node{}
		node.Annotations = map[string]string{healthcheck.ProgressAnnotation + name: value}
		for _, p := range (healthcheck.AnnotationProgress[*corev1.Node]{Name: name}).Load(node) {
			if p.Condition == "" && p.Check == "" && p.Cause == "" && value == "" {
				t.Error("nothing is something")
			}
		}
	})
}
