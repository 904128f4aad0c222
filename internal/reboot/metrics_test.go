package reboot

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// counted is what the metrics have counted of a change.
type counted struct {
	Ends, KeysLost float64
	Fenced         uint64
	Seconds        float64
}

// TestMeasure counts what is new, and what is new only once.
func TestMeasure(t *testing.T) {
	record := func(phase v1alpha1.Phase, changes ...change) v1alpha1.RebootRemediationStatus {
		return in(phase, changes...).Status
	}
	minuteLater := new(metav1.NewTime(noon.Add(time.Minute)))
	off := func(f *Facts) { f.Status.PendingRebootSince, f.Status.PoweredOffAt = &noon, minuteLater }
	tests := map[string]struct {
		before, now v1alpha1.RebootRemediationStatus
		want        counted
	}{
		"nothing":         {record(v1alpha1.PoweringOff), record(v1alpha1.PoweringOff), counted{}},
		"a phase":         {record(v1alpha1.Fenced), record(v1alpha1.Isolating), counted{}},
		"proven off":      {record(v1alpha1.PoweringOff), record(v1alpha1.Fenced, off), counted{Fenced: 1, Seconds: 60}},
		"off since then":  {record(v1alpha1.Fenced, off), record(v1alpha1.Isolating, off), counted{}},
		"a key was taken": {record(v1alpha1.PoweringOff), record(v1alpha1.PoweringOff, func(f *Facts) { f.Status.KeysLost = 1 }), counted{KeysLost: 1}},
		"the end":         {record(v1alpha1.Restoring), record(v1alpha1.Succeeded, endedFor("Succeeded")), counted{Ends: 1}},
		"after the end":   {record(v1alpha1.Succeeded), record(v1alpha1.Succeeded, endedFor("Succeeded")), counted{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := count(t)
			measure(tt.before, tt.now)
			after := count(t)
			got := counted{after.Ends - before.Ends, after.KeysLost - before.KeysLost, after.Fenced - before.Fenced, after.Seconds - before.Seconds}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("counted (-want +got):\n%s", diff)
			}
		})
	}
}

// endedFor has the record say why it ended.
func endedFor(reason string) change {
	return condition(v1alpha1.ConditionSucceeded, metav1.ConditionTrue, reason)
}

func count(t *testing.T) counted {
	t.Helper()
	var m dto.Metric
	if err := fencingSeconds.(prometheus.Metric).Write(&m); err != nil {
		t.Fatal(err)
	}
	return counted{
		Ends:     testutil.ToFloat64(endsTotal.WithLabelValues(string(v1alpha1.Succeeded), "Succeeded")),
		KeysLost: testutil.ToFloat64(keysLostTotal),
		Fenced:   m.Histogram.GetSampleCount(), Seconds: m.Histogram.GetSampleSum(),
	}
}
