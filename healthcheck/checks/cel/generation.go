package cel

import (
	"math"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// outdated reports whether the status is about another generation than the one that the
// object has. An object that does not say, or not by numbers, is taken as it is.
func outdated(object map[string]any) bool {
	observed, known := number(object, "status", "observedGeneration")
	generation, given := number(object, "metadata", "generation")
	return known && given && observed != generation
}

// generationOf tells one progress of an object from another: what is wanted has changed.
func generationOf(object map[string]any) string {
	if generation, ok := number(object, "metadata", "generation"); ok {
		return "generation " + strconv.FormatInt(generation, 10)
	}
	return ""
}

// number reads a whole number. An object from an API server has int64; one that was
// read from YAML by a library that does not know Kubernetes has float64.
func number(object map[string]any, path ...string) (int64, bool) {
	value, found, err := unstructured.NestedFieldNoCopy(object, path...)
	if err != nil || !found {
		return 0, false
	}
	switch n := value.(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), n == math.Trunc(n) && math.Abs(n) < 1<<53
	}
	return 0, false
}
