package admission

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestWhatAMachineCountsAs(t *testing.T) {
	const yes, no, unknown = metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown
	tests := map[string]struct {
		target Target
		want   Counts
	}{
		"healthy":                         {healthy("m"), Counts{Expected: 1, Healthy: 1, StoredHealthy: 1}},
		"sick":                            {sick("m"), Counts{Expected: 1, Sick: 1}},
		"starting: no verdict":            {target("m"), Counts{Expected: 1, Undecided: 1}},
		"pending: verdict Unknown":        {pending("m"), Counts{Expected: 1, Undecided: 1}},
		"being deleted, healthy":          {healthy("m", build.Deleting(now)), Counts{Expected: 1, Deleting: 1}},
		"being deleted, sick":             {sick("m", build.Deleting(now)), Counts{Expected: 1, Deleting: 1}},
		"healthy, and seen so":            {seen(healthy("m"), yes), Counts{Expected: 1, Healthy: 1, StoredHealthy: 1}},
		"healthy, and not seen so":        {seen(healthy("m"), no), Counts{Expected: 1, Unconfirmed: 1, StoredHealthy: 1}},
		"healthy, and unknown just now":   {seen(healthy("m"), unknown), Counts{Expected: 1, Unconfirmed: 1, StoredHealthy: 1}},
		"sick, and seen so":               {seen(sick("m"), no), Counts{Expected: 1, Sick: 1}},
		"sick, and well again":            {seen(sick("m"), yes), Counts{Expected: 1, Unconfirmed: 1}},
		"no verdict, and seen sick":       {seen(target("m"), no), Counts{Expected: 1, Unconfirmed: 1}},
		"no verdict, and starting":        {seen(target("m"), unknown), Counts{Expected: 1, Undecided: 1}},
		"no verdict, and seen healthy":    {seen(target("m"), yes), Counts{Expected: 1, Unconfirmed: 1}},
		"pending, and still so":           {seen(pending("m"), unknown), Counts{Expected: 1, Undecided: 1}},
		"being deleted is not to confirm": {seen(healthy("m", build.Deleting(now)), unknown), Counts{Expected: 1, Deleting: 1}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, count([]Target{tt.target})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// marked leaves a machine to its owner, under the name of a field owner.
func marked(fieldOwner string) build.MachineOption {
	return build.MachineFunc(func(m *clusterv1.Machine) {
		m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{Type: clusterv1.MachineOwnerRemediatedCondition, Status: metav1.ConditionFalse})
		fields := `{"f:status":{"f:conditions":{"k:{\"type\":\"OwnerRemediated\"}":{}}}}`
		m.ManagedFields = append(m.ManagedFields, metav1.ManagedFieldsEntry{Manager: fieldOwner, FieldsV1: metav1.NewFieldsV1(fields)})
	})
}

// TestWhoTakesASlot: who takes a slot.
func TestWhoTakesASlot(t *testing.T) {
	tests := map[string]struct {
		targets []Target
		records []recordOption
		want    bool
	}{
		"sick, no record":                         {targets: []Target{sick("m")}},
		"being deleted, no record":                {targets: []Target{sick("m", build.Deleting(now))}, want: true},
		"being deleted for almost an hour":        {targets: []Target{sick("m", build.Deleting(now.Add(1*time.Second-time.Hour)))}, want: true},
		"being deleted for an hour":               {targets: []Target{sick("m", build.Deleting(now.Add(-time.Hour)))}},
		"a record with a slot, hangs for an hour": {[]Target{sick("m", build.Deleting(now.Add(-time.Hour)))}, []recordOption{}, false},
		"healthy and being deleted":               {targets: []Target{healthy("m", build.Deleting(now))}, want: true},
		"a record with a slot":                    {[]Target{sick("m")}, []recordOption{}, true},
		"a record with a slot, healthy already":   {[]Target{healthy("m")}, []recordOption{}, true},
		"a record with a slot, being deleted":     {[]Target{sick("m", build.Deleting(now))}, []recordOption{}, true},
		"a record with a slot, the machine gone":  {nil, []recordOption{}, true},
		"a paused machine, hangs for an hour":     {nil, []recordOption{deletionOverdue}, false},
		"a record that has given it back":         {[]Target{sick("m")}, []recordOption{waitsFor(0)}, false},
		"a record that has given it back, leaves": {[]Target{sick("m", build.Deleting(now))}, []recordOption{waitsFor(0)}, true},
		"a record that has ended":                 {[]Target{sick("m")}, []recordOption{ended}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := facts(check(), tt.targets...)
			if tt.records != nil {
				f = f.with(recordOf("m", tt.records...))
			}
			want := 0
			if tt.want {
				want = 1
			}
			if got := f.inFlight(now); len(got) != want {
				t.Errorf("%v in flight, want %d", got, want)
			}
		})
	}
}

// TestUnderRepair: who takes a slot in truth, although its record has given it back.
func TestUnderRepair(t *testing.T) {
	tests := map[string]struct {
		targets []Target
		records []recordOption
		want    bool
	}{
		"in flight":                                {[]Target{sick("m")}, []recordOption{}, true},
		"given back":                               {[]Target{sick("m")}, []recordOption{waitsFor(0)}, false},
		"given back, marked late":                  {[]Target{sick("m", marked(ownwrites.RemediationFieldOwner))}, []recordOption{waitsFor(0)}, true},
		"given back, marked by somebody else":      {[]Target{sick("m", marked("somebody"))}, []recordOption{waitsFor(0)}, false},
		"given back, its power cycle asked late":   {[]Target{sick("m", build.Annotation(rebootannotation.Request, "record-m/1"))}, []recordOption{waitsFor(0)}, true},
		"given back, a person wants a power cycle": {[]Target{sick("m", build.Annotation(rebootannotation.Request, "please"))}, []recordOption{waitsFor(0)}, false},
		"ended, marked":                            {[]Target{sick("m", marked(ownwrites.RemediationFieldOwner))}, []recordOption{ended}, false},
		"no record, marked":                        {targets: []Target{sick("m", marked(ownwrites.RemediationFieldOwner))}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := facts(check(), tt.targets...)
			if tt.records != nil {
				f = f.with(recordOf("m", tt.records...))
			}
			if got := f.underRepair(now); (len(got) == 1) != tt.want {
				t.Errorf("%v under repair, want one: %t", got, tt.want)
			}
		})
	}
}

// deletionOverdue says that the deletion of the machine hangs.
func deletionOverdue(r *v1alpha1.MachineRemediation) {
	meta.SetStatusCondition(&r.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonDeletionOverdue,
	})
}

// TestDeletionThatHangsFreesItsSlot: after an hour, and the next in line does not wait for anything else to happen.
func TestDeletionThatHangsFreesItsSlot(t *testing.T) {
	began := now.Add(-40 * time.Minute)
	f := facts(check(maxInFlight("1")), sick("hangs", build.Deleting(began)), sick("next")).with(recordOf("hangs"))
	hour := began.Add(ladder.DeletionTime)
	before, then := Decide(f, now), Decide(f, hour)
	if len(before.Admit) > 0 || !before.RecheckAt.Equal(hour) {
		t.Errorf("after 40 minutes %v are admitted, and the next look is at %s; want none, and %s", before.Admit, before.RecheckAt, hour)
	}
	broken := check(maxInFlight("1"), build.TriggerIfAtMost(intstr.FromString("many")))
	asked := facts(broken, sick("hangs", build.Deleting(began)), healthy("next")).with(recordOf("next", annotationAsks))
	if d := Decide(asked, now); len(d.Asked) > 0 || !d.RecheckAt.Equal(hour) {
		t.Errorf("with another setting wrong, the slot that an annotation asks for is looked at again at %s, want %s", d.RecheckAt, hour)
	}
	if len(then.Admit) != 1 || then.Admit[0].Machine.Name != "next" {
		t.Errorf("after an hour %v are admitted, want next", then.Admit)
	}
	if why := OverBudget(f.with(recordOf("hangs"), recordOf("next")), hour); why != "" {
		t.Errorf("after an hour, next may not act: %s", why)
	}
}
