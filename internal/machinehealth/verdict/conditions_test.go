package verdict

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"
)

func TestReasonFor(t *testing.T) {
	for conditionType, want := range map[string]string{
		"Ready":                 "ReadyUnhealthy",
		"PIDPressure":           "PIDPressureUnhealthy",
		"example.com/disk-ok":   "DiskOkUnhealthy",
		"example.com/Disk.Ok":   "DiskOkUnhealthy",
		"e2e.remediation.check": "E2eRemediationCheckUnhealthy",
		"4k-display":            "Condition4kDisplayUnhealthy",
		"snake_case":            "SnakeCaseUnhealthy",
		"example.com/":          "Unhealthy",
		"größe":                 "GrEUnhealthy",
		"---":                   "Unhealthy",
	} {
		if got := reasonFor(conditionType, "Unhealthy"); got != want {
			t.Errorf("reasonFor(%q) is %q, want %q", conditionType, got, want)
		}
	}
}

// TestReasonIsAccepted: the API server accepts every reason. It would otherwise refuse the
// whole verdict.
func TestReasonIsAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := metav1.Condition{Type: "T", Status: "True", LastTransitionTime: metav1.NewTime(now)}
		c.Reason = reasonFor(rapid.String().Draw(t, "type"), "Flapping")
		if errs := validation.ValidateCondition(c, field.NewPath("condition")); len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
	})
}
