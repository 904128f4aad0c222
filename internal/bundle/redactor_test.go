package bundle

import (
	"strings"
	"testing"
)

// TestRedactOddNames: names of people that do not look like names of objects are replaced in sentences, too.
func TestRedactOddNames(t *testing.T) {
	for _, by := range []string{"https://idp#carol", "Carol Miller", "CORP\\carol", "carol+ops@corp", "jürgen", "oidc:carol/admin"} {
		tree := map[string]any{"objects": []any{map[string]any{
			"kind":     "MachineRemediation",
			"metadata": map[string]any{"name": "m1-abc-1"},
			"status":   map[string]any{"attempts": []any{map[string]any{"decision": map[string]any{"by": by, "answer": "Approve"}, "message": "Approved by " + by + ", at 12:00"}}},
		}}}
		r := newRedactor(tree)
		attempt := r.redact("", tree).(map[string]any)["objects"].([]any)[0].(map[string]any)["status"].(map[string]any)["attempts"].([]any)[0].(map[string]any)
		message := attempt["message"].(string)
		for _, part := range []string{"arol", "Miller", "CORP", "rgen", "idp"} {
			if strings.Contains(message, part) && strings.Contains(by, part) {
				t.Errorf("%q stays: %s", by, message)
				break
			}
		}
	}
}

// TestRedactKeepsAnnotations: a record that an annotation asked for has the key of the annotation as its requester, which is not the
// name of an object. The record goes by whether the Machine still has that annotation.
func TestRedactKeepsAnnotations(t *testing.T) {
	for _, by := range []map[string]any{
		{"kind": "Annotation", "name": "reboot.metal3.io/PowerOff"}, {"kind": "Annotation", "name": "reboot.metal3.io"},
		{"kind": "HealthCheck", "name": "host.metal3.io/external-remediation"},
	} {
		name := by["name"]
		tree := map[string]any{"objects": []any{map[string]any{
			"kind": "MachineRemediation", "metadata": map[string]any{"name": "m1-abc-1"}, "spec": map[string]any{"requestedBy": by},
		}}}
		record := newRedactor(tree).redact("", tree).(map[string]any)["objects"].([]any)[0].(map[string]any)
		if got := record["spec"].(map[string]any)["requestedBy"].(map[string]any)["name"]; got != name {
			t.Errorf("%s is redacted: %s", name, got)
		}
	}
}

// TestRedactSteps: who deletes the machine of a step is no person, and the owner of a machine that is gone has a name.
func TestRedactSteps(t *testing.T) {
	tree := map[string]any{"objects": []any{map[string]any{
		"kind": "MachineRemediation", "metadata": map[string]any{"name": "m1-abc-1", "annotations": map[string]any{"sickbay.dev/owner": "cluster.x-k8s.io/v1beta2 MachinePool secret"}},
		"spec": map[string]any{"steps": []any{map[string]any{"name": "replace", "action": "Replace", "by": "Deletion"}}},
	}}}
	record := newRedactor(tree).redact("", tree).(map[string]any)["objects"].([]any)[0].(map[string]any)
	if got := record["spec"].(map[string]any)["steps"].([]any)[0].(map[string]any)["by"]; got != "Deletion" {
		t.Errorf("the step is by %s", got)
	}
	owner := record["metadata"].(map[string]any)["annotations"].(map[string]any)["sickbay.dev/owner"].(string)
	if !strings.HasPrefix(owner, "cluster.x-k8s.io/v1beta2 MachinePool ") || strings.Contains(owner, "secret") {
		t.Errorf("the owner is %s", owner)
	}
}
