package cel

import (
	"math"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// outdated reports whether the status is about another generation than the object's. An
// object without these numbers is not outdated.
func outdated(object map[string]any) bool {
	observed, known := number(object, "status", "observedGeneration")
	generation, given := number(object, "metadata", "generation")
	return known && given && observed != generation
}

// generationOf returns the cause of an object's progress, so that each generation has its
// own clock.
func generationOf(object map[string]any) string {
	if generation, ok := number(object, "metadata", "generation"); ok {
		return "generation " + strconv.FormatInt(generation, 10)
	}
	return ""
}

// number reads a whole number. Objects from an API server have int64; those that a generic
// library read from YAML have float64.
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
