package reboot

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// counted is what the metrics have counted for a change.
type counted struct {
	Ends, KeysLost float64
	Fenced         uint64
	Seconds        float64
}

// TestMeasure: each change is counted, and only once.
func TestMeasure(t *testing.T) {
	record := func(phase v1alpha1.Phase, changes ...change) v1alpha1.RebootRemediationStatus {
		return in(phase, changes...).Status
	}
	minuteLater := new(metav1.NewTime(noon.Add(time.Minute)))
	off := func(f *cycle.Facts) { f.Status.PendingRebootSince, f.Status.PoweredOffAt = &noon, minuteLater }
	tests := map[string]struct {
		before, now v1alpha1.RebootRemediationStatus
		want        counted
	}{
		"nothing":         {record(v1alpha1.PoweringOff), record(v1alpha1.PoweringOff), counted{}},
		"a phase":         {record(v1alpha1.Fenced), record(v1alpha1.Isolating), counted{}},
		"proven off":      {record(v1alpha1.PoweringOff), record(v1alpha1.Fenced, off), counted{Fenced: 1, Seconds: 60}},
		"off since then":  {record(v1alpha1.Fenced, off), record(v1alpha1.Isolating, off), counted{}},
		"a key was taken": {record(v1alpha1.PoweringOff), record(v1alpha1.PoweringOff, func(f *cycle.Facts) { f.Status.KeysLost = 1 }), counted{KeysLost: 1}},
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

// TestEndsBeginAtZero: each end has its series before any cycle ends, because Prometheus sees no increase in a counter that first appears with the
// value 1.
func TestEndsBeginAtZero(t *testing.T) {
	ends := cycle.Ends()
	if got := testutil.CollectAndCount(endsTotal); got != len(ends) {
		t.Errorf("%d series, and %d ends", got, len(ends))
	}
	for _, end := range ends {
		if endsTotal.DeleteLabelValues(string(end.Phase), string(end.Outcome)) {
			endsTotal.WithLabelValues(string(end.Phase), string(end.Outcome))
			continue
		}
		t.Errorf("%s %s has no series", end.Phase, end.Outcome)
	}
}

// endedFor makes the record say why it ended.
func endedFor(reason string) change {
	return func(f *cycle.Facts) { f.Status.Outcome = v1alpha1.Outcome(reason) }
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

// TestGauges: cycles are counted by phase until they end. The hosts that they have switched off are named, with the time.
func TestGauges(t *testing.T) {
	request := &v1alpha1.RebootRemediation{}
	request.Namespace, request.Name = "gauges", "m"
	offAt := float64(noon.Unix())
	for _, tt := range []struct {
		phase v1alpha1.Phase
		off   float64
	}{
		{"", 0}, {v1alpha1.Pending, 0}, {v1alpha1.PoweringOff, 0}, {v1alpha1.Holding, offAt}, {v1alpha1.PoweringOn, offAt}, {v1alpha1.WaitingForNode, 0},
		{v1alpha1.PoweringOff, 0}, {v1alpha1.Fenced, offAt}, {v1alpha1.Isolating, offAt}, {v1alpha1.Failed, 0}, {v1alpha1.Holding, offAt},
	} {
		request.Status = in(tt.phase, func(f *cycle.Facts) {
			if f.Status.PoweredOffAt != nil {
				f.Status.PoweredOffAt = &noon
			}
		}).Status
		expectGauges(t, request, tt.off)
	}
}

// expectGauges compares the gauges of the one RebootRemediation.
func expectGauges(t *testing.T, request *v1alpha1.RebootRemediation, off float64) {
	t.Helper()
	var got, want metrics.Samples
	show(&got, request)
	if phase := request.Status.Phase; phase != "" && !phase.Ended() {
		want.Set(rebootsGauge, 1, "gauges", string(phase))
	}
	if off > 0 {
		want.Set(hostOffSince, off, "gauges", "m", "h1", string(request.Status.Phase))
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Errorf("in phase %s (-want +got):\n%s", request.Status.Phase, diff)
	}
}

// TestMetricsOfWatchFilter: of several managers with different watch filters, only one shows a cycle; otherwise a sum over them would count it
// twice.
func TestMetricsOfWatchFilter(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for _, name := range []string{"ours", "theirs"} {
		for _, kind := range []schema.GroupVersionKind{ClusterAPIKind, OpenShiftKind} {
			request := cycleOf(ns, name+"-of-"+kind.Group, v1alpha1.MachineReference{APIGroup: kind.Group, Name: name})
			request.Labels = map[string]string{clusterv1.WatchLabel: name}
			build.Create(t.Context(), t, e.Client, request)
			request.Status.Phase = v1alpha1.PoweringOff
			objects.UpdateStatus(t, e.Client, request)
		}
	}
	for filter, want := range map[string]float64{"": 4, "ours": 2, "theirs": 2} {
		var s metrics.Samples
		(&Reconciler{Kind: ClusterAPIKind, Client: e.Client, WatchFilter: filter}).Metrics(t.Context(), &s)
		if got, _ := s.Get(rebootsGauge, ns, string(v1alpha1.PoweringOff)); got != want {
			t.Errorf("with the filter %q %v cycles are shown, not %v", filter, got, want)
		}
	}
}

// TestWatchFilter: of several managers with different watch filters, only that whose label the record has cycles the host. If somebody gives the
// manager a filter during a cycle, no other manager with a filter would look after the host, so this one still does. It begins no cycle there, and
// leaves alone what another manager has begun.
func TestWatchFilter(t *testing.T) {
	off := func(r *v1alpha1.RebootRemediation) { r.Status.Host = &v1alpha1.HostIdentity{Name: "h"} }
	deleted := func(r *v1alpha1.RebootRemediation) { r.DeletionTimestamp = &noon }
	for name, tt := range map[string]struct {
		label  string
		change func(*v1alpha1.RebootRemediation)
		want   bool
	}{
		"ours":                          {"ours", func(*v1alpha1.RebootRemediation) {}, true},
		"theirs":                        {"theirs", func(*v1alpha1.RebootRemediation) {}, false},
		"theirs, and its host is off":   {"theirs", off, false},
		"theirs, and is deleted":        {"theirs", deleted, false},
		"nobody's":                      {"", func(*v1alpha1.RebootRemediation) {}, false},
		"nobody's, and its host is off": {"", off, true},
		"nobody's, and is deleted":      {"", deleted, true},
		"nobody's, and is over":         {"", func(r *v1alpha1.RebootRemediation) { off(r); r.Finalizers = nil }, false},
	} {
		request := cycleOf("ns", "m", v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m"})
		request.Finalizers = []string{cycle.Finalizer}
		if tt.label != "" {
			request.Labels = map[string]string{clusterv1.WatchLabel: tt.label}
		}
		tt.change(request)
		if mine := (&Reconciler{Kind: ClusterAPIKind, WatchFilter: "ours"}).isMine(request); mine != tt.want {
			t.Errorf("%s: it is mine: %t", name, mine)
		}
		if !(&Reconciler{Kind: ClusterAPIKind}).isMine(request) || (&Reconciler{Kind: OpenShiftKind}).isMine(request) {
			t.Errorf("%s: without a filter, it is for its kind", name)
		}
	}
}
