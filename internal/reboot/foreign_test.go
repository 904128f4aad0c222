package reboot

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

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
			if err := e.Client.Status().Update(t.Context(), request); err != nil {
				t.Fatal(err)
			}
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
