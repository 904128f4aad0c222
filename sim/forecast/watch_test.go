package forecast

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// at returns what is known some time after the kubelet of a machine has stopped. The machine is sick after five minutes.
func at(since time.Duration, status metav1.ConditionStatus, ready corev1.ConditionStatus) explain.Facts {
	mhc := build.MachineHealthCheck("default", "workers", build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionUnknown, 5*time.Minute))
	machine := build.Machine("default", "m1", build.NodeRef("node"), build.UID("m1"), build.Condition(verdict.ConditionType, status, "It", build.Epoch))
	cluster := build.Cluster("default", build.ClusterName)
	node := build.Node("node", build.NodeReady(metav1.ConditionStatus(ready), build.Epoch))
	return explain.Facts{
		Now: build.Epoch.Add(since), Clusters: []explain.Cluster{{Cluster: cluster}},
		Machines: []*explain.Machine{{Machine: machine, Check: &explain.Check{MachineHealthCheck: mhc}, Health: &verdict.Facts{
			Machine: machine, Cluster: cluster, Rules: mhcspec.RulesOf(mhc), WasHealthy: status == metav1.ConditionTrue,
			Node: verdict.NodeFacts{State: verdict.NodeFound, Node: node},
		}}},
	}
}

func TestWatcher(t *testing.T) {
	const pending, sick = metav1.ConditionUnknown, metav1.ConditionFalse
	before := at(4*time.Minute, pending, corev1.ConditionUnknown)
	tests := map[string]struct {
		looks        []explain.Facts
		kept, prompt int
		broken       string
	}{
		"it happens":             {[]explain.Facts{before, at(5*time.Minute+500*time.Millisecond, sick, corev1.ConditionUnknown)}, 1, 1, ""},
		"it happens late":        {[]explain.Facts{before, at(5*time.Minute+3*time.Second, sick, corev1.ConditionUnknown)}, 1, 0, ""},
		"it happens too early":   {[]explain.Facts{before, at(4*time.Minute+3*time.Second, sick, corev1.ConditionUnknown)}, 0, 0, ""},
		"something else happens": {[]explain.Facts{before, at(4*time.Minute+3*time.Second, pending, corev1.ConditionTrue), at(6*time.Minute, metav1.ConditionTrue, corev1.ConditionTrue)}, 1, 0, ""},
		"nothing happens":        {[]explain.Facts{before, at(5*time.Minute+6*time.Second, pending, corev1.ConditionUnknown)}, 0, 0, "default/m1: is sick: Node condition Ready is Unknown for more than 5m0s was to happen at 00:05:00.0, and did not by 00:05:06.0"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWatcher(5 * time.Second)
			for _, facts := range tt.looks {
				w.see(facts)
			}
			r := w.Report()
			if r.Kept != tt.kept || r.Prompt != tt.prompt || len(r.Late) != tt.kept-tt.prompt-r.Excused || strings.Join(r.Broken, "; ") != tt.broken {
				t.Errorf("it is %+v", r)
			}
		})
	}
}

// TestLate: only lost time excuses a late event.
func TestLate(t *testing.T) {
	const pending, sick = metav1.ConditionUnknown, metav1.ConditionFalse
	looks := func(w *Watcher, last time.Duration, ready corev1.ConditionStatus) {
		for since := 4*time.Minute + 58*time.Second; since < last; since += often {
			w.see(at(since, pending, ready))
		}
		w.see(at(last, sick, ready))
	}
	tests := map[string]struct {
		play          func(w *Watcher)
		excused, late int
	}{
		"late": {func(w *Watcher) { looks(w, 5*time.Minute+3*time.Second, corev1.ConditionUnknown) }, 0, 1},
		"late, with the manager down": {func(w *Watcher) {
			w.excused(build.Epoch.Add(5*time.Minute-2*time.Second), build.Epoch.Add(5*time.Minute+2*time.Second))
			looks(w, 5*time.Minute+3*time.Second, corev1.ConditionUnknown)
		}, 1, 0},
		"late, with the manager down, which is said afterwards": {func(w *Watcher) {
			looks(w, 5*time.Minute+3*time.Second, corev1.ConditionUnknown)
			w.excused(build.Epoch.Add(5*time.Minute-2*time.Second), build.Epoch.Add(5*time.Minute+2*time.Second))
		}, 1, 0},
		"late, and the manager was down before": {func(w *Watcher) {
			w.excused(build.Epoch.Add(3*time.Minute), build.Epoch.Add(4*time.Minute))
			looks(w, 5*time.Minute+3*time.Second, corev1.ConditionUnknown)
		}, 0, 1},
		"late, as the API server was slow": {func(w *Watcher) {
			looks(w, 5*time.Minute+3*time.Second, corev1.ConditionUnknown)
			for since := 5 * time.Minute; since < 5*time.Minute+3*time.Second; since += often {
				w.answered(build.Epoch.Add(since), build.Epoch.Add(since+2*slow))
			}
		}, 1, 0},
		"late, and the API server was quick": {func(w *Watcher) {
			looks(w, 5*time.Minute+3*time.Second, corev1.ConditionUnknown)
			for since := 5 * time.Minute; since < 5*time.Minute+3*time.Second; since += often {
				w.answered(build.Epoch.Add(since), build.Epoch.Add(since+slow))
			}
		}, 0, 1},
		"late, as nobody could look": {func(w *Watcher) {
			w.see(at(4*time.Minute+59*time.Second, pending, corev1.ConditionUnknown))
			w.see(at(5*time.Minute+3*time.Second, sick, corev1.ConditionUnknown))
		}, 1, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWatcher(5 * time.Second)
			tt.play(w)
			if r := w.Report(); r.Kept != 1 || r.Prompt != 0 || r.Excused != tt.excused || len(r.Late) != tt.late {
				t.Errorf("it is %+v", r)
			}
		})
	}
}
