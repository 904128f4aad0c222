package intake

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/health"
)

// TestKStatus: what somebody asks for is in progress until its record has ended, and then done, or failed.
func TestKStatus(t *testing.T) {
	for status, tt := range map[metav1.ConditionStatus]struct{ reason, want string }{
		metav1.ConditionTrue:  {v1alpha1.ReasonRecovered, "Current"},
		metav1.ConditionFalse: {v1alpha1.ReasonUnproven, "Failed Unproven"},
	} {
		t.Run(string(status), func(t *testing.T) {
			f := newHarness(t, build.Verdict(metav1.ConditionFalse, build.Epoch))
			request := f.ask("m", f.ofCheck)
			isTo := func(want string) {
				t.Helper()
				health.Is(t, f.env.Client, request, want, "")
			}
			isTo("InProgress LatestGenerationNotObserved")
			f.reconcile()
			isTo("InProgress Pending")
			f.ends(f.record(), status, tt.reason)
			f.reconcile()
			isTo(tt.want)
		})
	}
}
