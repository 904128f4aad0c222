package fleet

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestPastCountsEachRepairOnce: several repairs of a host that ended in the same second count once each.
func TestPastCountsEachRepairOnce(t *testing.T) {
	m := &explain.Machine{Machine: build.Machine("default", "m1", build.UID("m1"))}
	l := &look{machines: map[types.UID]*explain.Machine{"m1": m}, facts: explain.Facts{Machines: []*explain.Machine{m}}}
	for i := range 20 {
		r := &v1alpha1.MachineRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("r%02d", i)}}
		r.Spec.MachineRef.UID, r.Spec.HostRef = "m1", &v1alpha1.RemediationReference{Name: "rack2-u7", UID: "u7"}
		r.Status.Phase, r.Status.CompletionTime = v1alpha1.RemediationEnded, new(metav1.NewTime(build.Epoch))
		l.facts.Records = append(l.facts.Records, &explain.Record{Record: r})
	}
	l.past()
	if n := len(m.Past); n != 20 {
		t.Errorf("there are %d repairs, want 20", n)
	}
}
