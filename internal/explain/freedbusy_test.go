package explain_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
)

// TestABusyOwnerHasItsHour: the owner is at work on another machine (a scale-down), so when ten minutes are over the controller gives it the hour of a
// busy owner. NEXT must not promise the slot before.
func TestABusyOwnerHasItsHour(t *testing.T) {
	s := explaintest.New().Annotated(mhcspec.MaxInFlightAnnotation, "2")
	asked(s, "a", 4*time.Minute)
	waits(s, "b", 3*time.Minute)
	x := s.Healthy("x")
	s.OwnedBy(x, core, "MachineSet", "ms", silence.Facts{})
	x.DeletionTimestamp, x.Finalizers = new(metav1.NewTime(s.Now.Add(-time.Minute))), []string{"machine.cluster.x-k8s.io"}
	for _, one := range s.Facts().Next() {
		if one.At.Sub(s.Now) < 50*time.Minute && (strings.Contains(one.What, "time is up") || strings.Contains(one.What, "taken back")) {
			t.Errorf("in %s, %s: %s", one.At.Sub(s.Now), one.Name, one.What)
		}
	}
}
