package checks_test

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

func TestCustomResourceDefinition(t *testing.T) {
	definition := func(conditions ...apiextensionsv1.CustomResourceDefinitionCondition) *apiextensionsv1.CustomResourceDefinition {
		return &apiextensionsv1.CustomResourceDefinition{Status: apiextensionsv1.CustomResourceDefinitionStatus{Conditions: conditions}}
	}
	is := func(conditionType apiextensionsv1.CustomResourceDefinitionConditionType, status apiextensionsv1.ConditionStatus) apiextensionsv1.CustomResourceDefinitionCondition {
		return apiextensionsv1.CustomResourceDefinitionCondition{Type: conditionType, Status: status}
	}
	accepted, established := is(apiextensionsv1.NamesAccepted, "True"), is(apiextensionsv1.Established, "True")
	tracked := func(generation, seen int64) *apiextensionsv1.CustomResourceDefinition {
		d := definition(accepted, established)
		d.Generation, d.Status.ObservedGeneration = generation, seen
		return d
	}
	judge(t, checks.CustomResourceDefinition, map[string]row[*apiextensionsv1.CustomResourceDefinition]{
		"served":          {definition(accepted, established), passes},
		"new":             {definition(), fails("NotNamesAccepted", "Condition NamesAccepted is missing")},
		"not established": {definition(accepted), fails("NotEstablished", "Condition Established is missing")},
		"conflict":        {definition(is(apiextensionsv1.NamesAccepted, "False"), established), fails("NotNamesAccepted", "Condition NamesAccepted is False")},
		"not tracked":     {tracked(2, 0), passes},
		"observed":        {tracked(2, 2), passes},
		"not observed":    {tracked(2, 1), notObserved("Observed generation is 1, not 2")},
		"terminating":     {definition(accepted, established, is(apiextensionsv1.Terminating, "True")), fails("Terminating", "Condition Terminating is True")},
	})
}

// conditions returns an unstructured object of generation 2 with conditions, given as alternating
// types and statuses.
func conditions(observed int64, typesAndStatuses ...string) *unstructured.Unstructured {
	var list []any
	for i := 0; i < len(typesAndStatuses); i += 2 {
		list = append(list, map[string]any{"type": typesAndStatuses[i], "status": typesAndStatuses[i+1], "reason": "Told", "message": "so"})
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"generation": int64(2)},
		"status":   map[string]any{"observedGeneration": observed, "conditions": list},
	}}
}

func TestAPIService(t *testing.T) {
	judge(t, checks.APIService, map[string]row[*unstructured.Unstructured]{
		"available":   {conditions(0, "Available", "True"), passes},
		"unavailable": {conditions(0, "Available", "False"), fails("NotAvailable", "Condition Available is False (Told): so")},
		"empty":       {&unstructured.Unstructured{}, fails("NotAvailable", "Condition Available is missing")},
		"odd": {&unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{1, "Available", map[string]any{"type": 2}}}}},
			fails("NotAvailable", "Condition Available is missing")},
		"odder": {&unstructured.Unstructured{Object: map[string]any{"status": "fine"}}, fails("NotAvailable", "Condition Available is missing")},
	})
}

func TestManagedResource(t *testing.T) {
	refused := conditions(2, "ResourcesApplied", "False")
	const text = `Error during apply of object "v1/Service/shop/web": Service "web" is invalid: spec.ports: Required value`
	if err := unstructured.SetNestedSlice(refused.Object, []any{
		map[string]any{"type": "ResourcesApplied", "status": "False", "reason": "ApplyFailed", "message": text},
	}, "status", "conditions"); err != nil {
		t.Fatal(err)
	}
	coded := fails("NotResourcesApplied", "Condition ResourcesApplied is False (ApplyFailed): "+text)
	coded.Codes = []string{"ERR_CONFIGURATION_PROBLEM"}
	judge(t, checks.ManagedResource, map[string]row[*unstructured.Unstructured]{
		"healthy":            {conditions(2, "ResourcesApplied", "True", "ResourcesHealthy", "True"), passes},
		"progressing too":    {conditions(2, "ResourcesApplied", "True", "ResourcesHealthy", "True", "ResourcesProgressing", "True"), passes},
		"new":                {conditions(0), notObserved("Observed generation is 0, not 2")},
		"not observed":       {conditions(1, "ResourcesApplied", "True", "ResourcesHealthy", "True"), notObserved("Observed generation is 1, not 2")},
		"restored":           {conditions(5, "ResourcesApplied", "True", "ResourcesHealthy", "True"), notObserved("Observed generation is 5, not 2")},
		"not applied":        {conditions(2, "ResourcesApplied", "False", "ResourcesHealthy", "True"), fails("NotResourcesApplied", "Condition ResourcesApplied is False (Told): so")},
		"not healthy":        {conditions(2, "ResourcesApplied", "True", "ResourcesHealthy", "Progressing"), fails("NotResourcesHealthy", "Condition ResourcesHealthy is Progressing (Told): so")},
		"nobody has told":    {conditions(2, "ResourcesApplied", "True"), fails("NotResourcesHealthy", "Condition ResourcesHealthy is missing")},
		"refused as invalid": {refused, coded},
	})
	judge(t, checks.ManagedResourceRolledOut, map[string]row[*unstructured.Unstructured]{
		"rolled out":      {conditions(2, "ResourcesApplied", "True", "ResourcesHealthy", "True", "ResourcesProgressing", "False"), passes},
		"rolling out":     {conditions(2, "ResourcesApplied", "True", "ResourcesHealthy", "True", "ResourcesProgressing", "True"), rollsOut("revision 2", "Condition ResourcesProgressing is True (Told): so")},
		"nobody has told": {conditions(2, "ResourcesApplied", "True", "ResourcesHealthy", "True"), rollsOut("revision 2", "Condition ResourcesProgressing is missing")},
		"not healthy":     {conditions(2, "ResourcesApplied", "True"), fails("NotResourcesHealthy", "Condition ResourcesHealthy is missing")},
	})
}
