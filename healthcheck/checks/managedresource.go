package checks

import (
	"regexp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// codeConfigurationProblem is one of Gardener's error codes.
const codeConfigurationProblem = "ERR_CONFIGURATION_PROBLEM"

var invalidObject = regexp.MustCompile(`(?i)error during apply of object .* is invalid:`)

// ManagedResource judges whether the objects of a ManagedResource of Gardener are applied and
// healthy, by the rule of Gardener. It takes an unstructured object of
// resources.gardener.cloud/v1alpha1.
//
// It is False if condition ResourcesApplied or ResourcesHealthy is not True
// (NotResourcesApplied, NotResourcesHealthy), with the code ERR_CONFIGURATION_PROBLEM if the API
// server refused an object as invalid. A status for another generation is Progressing
// (ReasonNotObserved). ResourcesProgressing is ignored.
func ManagedResource(m *unstructured.Unstructured) healthcheck.Result {
	seen, _, _ := unstructured.NestedInt64(m.Object, "status", "observedGeneration")
	if seen > m.GetGeneration() {
		// The status is from an earlier object with this name, for example from a backup.
		return notObserved(m.GetGeneration(), seen)
	}
	r := observed(m.GetGeneration(), seen, judge(unstructuredConditions(m), isTrue("ResourcesApplied"), isTrue("ResourcesHealthy")))
	if invalidObject.MatchString(r.Message) {
		r.Codes = []string{codeConfigurationProblem}
	}
	return r
}

// ManagedResourceRolledOut requires what ManagedResource does, and that no roll-out is under
// way: it is Progressing (ReasonRollingOut, RolloutWithin for each generation) until condition
// ResourcesProgressing is False.
//
// A new ManagedResource is no alarm: its objects may be unhealthy (NotResourcesHealthy) for
// RolloutWithin after its creation.
func ManagedResourceRolledOut(m *unstructured.Unstructured) healthcheck.Result {
	verdict := starting(RolloutWithin, m, ManagedResource(m), "NotResourcesHealthy")
	progress, found := find(unstructuredConditions(m), "ResourcesProgressing")
	switch {
	case verdict.Status != healthcheck.True:
	case !found:
		return rollingOut(number(m.GetGeneration()), "Condition ResourcesProgressing is missing")
	case progress.Status != "False":
		return rollingOut(number(m.GetGeneration()), "%s", progress)
	}
	return verdict
}
