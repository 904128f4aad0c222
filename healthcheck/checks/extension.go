package checks

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// CustomResourceDefinition judges whether a kind is served, by the rule of Gardener.
//
// It is False if condition NamesAccepted or Established is not True (NotNamesAccepted,
// NotEstablished), or if Terminating is present and not False (Terminating). A status for
// an older generation is Progressing (ReasonNotObserved), if the API server records the
// generation; not all do.
func CustomResourceDefinition(d *apiextensionsv1.CustomResourceDefinition) healthcheck.Result {
	conditions := conditionsOf(d.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) condition {
		return condition{string(c.Type), string(c.Status), c.Reason, c.Message}
	})
	verdict := judge(conditions, isTrue(string(apiextensionsv1.NamesAccepted)),
		isTrue(string(apiextensionsv1.Established)), notTrue(string(apiextensionsv1.Terminating)))
	if d.Status.ObservedGeneration == 0 {
		return verdict
	}
	return observed(d.Generation, d.Status.ObservedGeneration, verdict)
}

// APIService judges whether an aggregated API answers, by the rule of Gardener: it is False
// if condition Available is not True (NotAvailable). It takes an unstructured object, so
// that nobody has to import the API aggregator.
func APIService(s *unstructured.Unstructured) healthcheck.Result {
	return judge(unstructuredConditions(s), isTrue("Available"))
}

// unstructuredConditions reads status.conditions. It reads malformed items as empty
// conditions, so a required one is missing.
func unstructuredConditions(u *unstructured.Unstructured) []condition {
	// The accessors that copy would panic on values that are not JSON.
	list, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "conditions")
	items, _ := list.([]any)
	return conditionsOf(items, func(item any) condition {
		fields, _ := item.(map[string]any)
		text := func(name string) string {
			value, _ := fields[name].(string)
			return value
		}
		return condition{text("type"), text("status"), text("reason"), text("message")}
	})
}
