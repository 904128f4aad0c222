package admission

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestPassedOver: nobody is passed over for longer than an hour by machines that have had fewer slots in vain, or have waited for as long, whether or not
// there was an attempt or a record, and whatever the clock of another leader said. Whose hour ends is looked at then.
func TestPassedOver(t *testing.T) {
	at := func(t time.Time) *metav1.Time { return new(metav1.NewTime(t)) }
	const hour = time.Hour
	record := func(made time.Duration, more ...recordOption) *v1alpha1.MachineRemediation {
		return recordOf("a", append([]recordOption{inVain(1), func(r *v1alpha1.MachineRemediation) { r.CreationTimestamp = *at(ago(made)) }}, more...)...)
	}
	attempt := func(since time.Duration) recordOption {
		return func(r *v1alpha1.MachineRemediation) {
			r.Status.Attempts = []v1alpha1.RemediationAttempt{{Number: 1, Step: StepReplace, Result: v1alpha1.ResultNotBegun, EndTime: at(ago(since))}}
		}
	}
	for name, tt := range map[string]struct {
		record *v1alpha1.MachineRemediation
		// failed is since when the machine is sick, if its record could not be created, and other since when the other one is.
		failed, other time.Duration
		want          string
		in            time.Duration
	}{
		"since its record was made":              {record: record(hour), want: "a: grant"},
		"for less than an hour":                  {record: record(hour - time.Minute), want: "b: replace", in: time.Minute},
		"since its attempt, for an hour":         {record: record(2*hour, attempt(hour)), want: "a: grant"},
		"since its attempt, for less":            {record: record(2*hour, attempt(time.Minute)), want: "b: replace", in: hour - time.Minute},
		"its attempt ended by a clock ahead":     {record: record(2*hour, attempt(-hour)), want: "a: grant"},
		"its record cannot be made, for an hour": {failed: hour, want: "a: replace"},
		"its record cannot be made, for less":    {failed: hour - time.Minute, want: "b: replace"},
		"both, and it has for longer":            {record: record(2 * hour), other: hour, want: "a: grant"},
		"both, and the other has for longer":     {record: record(hour), other: 2 * hour, want: "b: replace"},
	} {
		t.Run(name, func(t *testing.T) {
			a := sick("a", build.Verdict(metav1.ConditionFalse, ago(tt.failed)))
			f := facts(check(maxInFlight("1")), a, sick("b", build.Verdict(metav1.ConditionFalse, ago(tt.other))))
			if tt.record != nil {
				f = f.with(tt.record)
			} else {
				f.Failures = map[types.UID]Failure{a.Machine.UID: {Count: 1, RetryAt: ago(time.Second)}}
			}
			d := Decide(f, now)
			if diff := cmp.Diff([]string{tt.want}, admitted(d)); diff != "" {
				t.Errorf("admitted (-want +got):\n%s", diff)
			}
			if want := now.Add(tt.in); tt.in > 0 && !d.RecheckAt.Equal(want) {
				t.Errorf("looks again at %s, want %s", d.RecheckAt, want)
			}
		})
	}
}
