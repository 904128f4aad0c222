package remediation

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestRequestBeforeTheVerdict: Cluster API's controller first makes its request, and only then writes HealthCheckSucceeded=False; with many sick machines
// its client waits seconds in between. Until then the Machine has the verdict of last week. That does not answer the request: it would never be
// asked again, because the request exists.
func TestRequestBeforeTheVerdict(t *testing.T) {
	t.Parallel()
	rows(t, map[string]build.MachineOption{
		"it was healthy":      judgedAs(metav1.ConditionTrue, build.Epoch),
		"it was never judged": build.MachineFunc(func(m *clusterv1.Machine) { m.Status.Conditions = nil }),
	}, func(t *testing.T, before build.MachineOption) {
		t.Helper()
		f := newHarness(t)
		a := f.sick("a", build.MachineFunc(func(m *clusterv1.Machine) { m.Status.Conditions = nil }), before)
		build.Create(t.Context(), t, f.env.Client, &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: "a", OwnerReferences: []metav1.OwnerReference{
			{APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: "a", UID: a.UID},
		}}})
		f.takesIn(a)
		record := f.onlyRecord()
		f.reconcile(record)
		f.takesIn(a)
		f.pass(time.Second)
		f.judge(a, metav1.ConditionFalse)
		for range 3 {
			f.takesIn(a)
			f.reconcile(record)
			f.pass(time.Hour)
		}
		request, _ := stored(f, cycleNamed(f, "a"))
		if told := meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded); told != nil && told.Status == metav1.ConditionTrue {
			t.Errorf("the machine is sick, its request stands, and is answered %s %s: %s; %d cycles", told.Status, told.Reason, told.Message, f.cycles())
		}
		if n := len(record.Spec.Steps); n != 2 {
			t.Errorf("the plan has %d step: its owner is never asked for another machine", n)
		}
	})
}
