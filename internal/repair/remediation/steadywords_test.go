package remediation

import (
	"errors"
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// TestStoredCauseIsTheSameWhateverTheLocalPort: each try has another connection, and what is stored about it must not be a write each time.
func TestStoredCauseIsTheSameWhateverTheLocalPort(t *testing.T) {
	first := errors.New("read tcp 192.0.2.1:40001->192.0.2.2:6443: connection reset by peer")
	second := errors.New("read tcp 192.0.2.1:40002->192.0.2.2:6443: connection reset by peer")
	if a, b := couldNot(first), couldNot(second); a != b {
		t.Errorf("a failed attempt says %q and then %q", a, b)
	}
	unreadable := func(err error) string {
		record := &v1alpha1.MachineRemediation{}
		record.Status.Attempts = []v1alpha1.RemediationAttempt{{Number: 1, ObjectRef: &v1alpha1.RemediationObjectReference{Kind: "Fix", Name: "a"}}}
		v := &view{machine: &clusterv1.Machine{}}
		v.facts = ladder.Facts{Record: record}
		(&Reader{}).assumeUnreadable(v, 1, err)
		return v.facts.Request.Unreadable
	}
	if a, b := unreadable(first), unreadable(second); a != b {
		t.Errorf("a request that cannot be read says %q and then %q", a, b)
	}
}
