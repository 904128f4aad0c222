package upgradepause

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/pausing"
)

// TestSearch draws schedules for the whole controller, with its real signals, over an API server whose caches lag
// independently: crashes before and after each write, lost answers, people at any moment, Nodes that come back late or never.
// TestHistories covers more of what people do, but only tests the decisions.
func TestSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newSearch(t)
		t.Repeat(w.actions())
	})
}

// The MachineHealthChecks of the search: one of OpenShift, one of a Cluster.
var searched = map[string]schema.GroupVersionKind{"openshift": OpenShiftKind, "capi": ClusterAPIKind}

// search is a world with the real controller, and a ghost for each MachineHealthCheck that knows what is wanted.
type search struct {
	api    *api
	clock  *testingclock.FakePassiveClock
	by     map[string]*Reconciler
	people pausing.People
	// looking is the rapid.T of the current look, and knows what the controller sees.
	looking *rapid.T
	minor   int
	// began is when the pool began to report its last update.
	began time.Time
	again map[string]time.Duration
}

func newSearch(t *rapid.T) *search {
	w := &search{
		api: &api{shelves: map[string]*shelf{}}, clock: testingclock.NewFakePassiveClock(noon), again: map[string]time.Duration{},
		people: pausing.NewPeople(warnAfter),
	}
	for _, kind := range []string{checksOn, versionOn, poolsOn, clustersOn, deploymentsOn, machinesOn, openshiftMachinesOn, nodesOn} {
		w.api.shelves[kind] = &shelf{}
	}
	w.api.wrote = w.judge
	w.put(versionOn, searchVersion(noon.Add(-time.Hour), configv1.CompletedUpdate, false))
	w.put(poolsOn, searchPool(2, corev1.ConditionFalse))
	w.put(nodesOn, searchNode(true))
	machine := openshiftMachine()
	machine.Namespace, machine.Name = "ns", "machine"
	w.put(openshiftMachinesOn, machine)
	w.cluster("true")
	w.roll()
	w.put(machinesOn, searchMachine("m0", w.target(), true))
	for _, name := range w.names() {
		w.people.Live[name] = pausing.Born(rapid.SampledFrom([]string{"fresh", "fresh", "paused", "handed over", "excepted"}).Draw(t, "how"))
		w.api.shelf(checksOn).put(func(all map[string]client.Object) {
			check := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name)}}
			if name == "capi" {
				check.Labels = map[string]string{clusterv1.ClusterNameLabel: "blue"}
			}
			all[name] = check
		})
		w.api.store(name, w.people.Live[name].Annotations)
	}
	w.catchUp()
	w.restart(t)
	return w
}

func (w *search) names() []string { return slices.Sorted(maps.Keys(searched)) }

func (w *search) put(kind string, obj client.Object) {
	w.api.shelf(kind).put(func(all map[string]client.Object) { all[obj.GetName()] = obj })
}

func (w *search) catchUp() {
	for _, s := range w.api.shelves {
		s.catchUp()
	}
}

// sync shows the people's model what is stored.
func (w *search) sync(name string) {
	w.people.Live[name].Annotations = stored(w.api.shelf(checksOn).latest()[name].GetAnnotations())
}

// restart makes a new controller: it reads everything, and remembers nothing.
func (w *search) restart(*rapid.T) {
	w.catchUp()
	installed := &Installed{yes: true}
	open := func(context.Context, client.Object) error { return nil }
	w.by = map[string]*Reconciler{}
	for name, kind := range searched {
		r := &Reconciler{Kind: kind, reader: reader{w.api, kind}, writer: writer{Writer: w.api}, WarnAfter: warnAfter, SettleTimeout: settleWithin, Recorder: &events.FakeRecorder{}, Clock: w.clock}
		r.Signals = []Signal{clusterVersion{reader: w.api, installed: installed}}
		if kind == OpenShiftKind {
			r.Signals = append(r.Signals, machineConfigPools{reader: w.api, installed: installed})
			r.Readiness = openshiftMachines{live: w.api, reader: w.api, open: open}
		} else {
			r.Signals = append(r.Signals, clusterAPI{reader: w.api, rollouts: w.api, open: open})
			r.Readiness = clusterMachines{live: w.api, reader: w.api, open: open}
		}
		w.by[name] = r
	}
}

// look lets the controller look at a MachineHealthCheck, and perhaps crash.
func (w *search) look(t *rapid.T, name string) {
	w.looking = t
	defer func() {
		if crash := recover(); crash != nil {
			if err, ok := crash.(error); !ok || !errors.Is(err, errCrash) {
				panic(crash)
			}
			w.restart(t)
		}
	}()
	result, err := w.by[name].Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "ns", Name: name}})
	w.again[name] = result.RequeueAfter
	if err != nil {
		w.again[name] = time.Second // it is tried again
	}
}

// judge checks each write of the controller.
func (w *search) judge(name string, before, after stored) {
	ghost := w.people.Live[name].Ghost
	ghost.Judge(w.looking, before, after, w.sees(name, before), w.clock.Now())
	if after[keyWarned] != "" && after[keyWarned] != before[keyWarned] {
		ghost.Warn(w.looking, &w.people)
	}
	w.sync(name)
}

// sees returns what the controller can know, computed in another way than the controller's own.
func (w *search) sees(name string, _ stored) pausing.Seen {
	s := pausing.Seen{Within: settleWithin, Follows: map[string]string{}}
	w.seeVersion(&s)
	if name == "openshift" {
		w.seePool(&s)
		s.Away = w.api.shelf(openshiftMachinesOn).forbidden || w.api.shelf(nodesOn).forbidden || w.api.shelf(nodesOn).seen()["node"].(*corev1.Node).Status.Conditions[0].Status != corev1.ConditionTrue
		return s
	}
	w.seeCluster(&s)
	s.Away = w.api.shelf(machinesOn).forbidden
	for _, m := range w.api.shelf(machinesOn).seen() {
		s.Away = s.Away || m.GetDeletionTimestamp().IsZero() && m.(*clusterv1.Machine).Status.Conditions[0].Status != metav1.ConditionTrue
	}
	return s
}

func (w *search) seeVersion(s *pausing.Seen) {
	shelf := w.api.shelf(versionOn)
	cv := shelf.seen()["version"].(*configv1.ClusterVersion)
	id := "clusterversion/" + at(cv.Status.History[0].StartedTime.UTC())
	switch {
	case shelf.forbidden:
		s.Unknown = append(s.Unknown, "clusterversion/")
	case cv.Status.History[0].State == configv1.CompletedUpdate:
	case cv.Status.Conditions[0].Status == configv1.ConditionTrue:
		s.Active = append(s.Active, id)
	default:
		s.Halted = append(s.Halted, id)
	}
}

func (w *search) seePool(s *pausing.Seen) {
	shelf := w.api.shelf(poolsOn)
	pool := shelf.seen()["worker"].(*mcfgv1.MachineConfigPool)
	id := "machineconfigpool/worker/new"
	switch {
	case shelf.forbidden:
		s.Unknown = append(s.Unknown, "machineconfigpool/")
	case pool.Status.UpdatedMachineCount == pool.Status.MachineCount:
	case !pool.Spec.Paused:
		s.Active, s.Follows[id] = append(s.Active, id), "clusterversion/"
	default:
		s.Halted, s.Follows[id] = append(s.Halted, id), "clusterversion/"
	}
}

func (w *search) seeCluster(s *pausing.Seen) {
	option := w.api.shelf(clustersOn).seen()["blue"].GetAnnotations()[keyOption]
	unreadable := w.api.shelf(deploymentsOn).forbidden || w.api.shelf(machinesOn).forbidden
	switch {
	case w.api.shelf(clustersOn).forbidden, option == "maybe", option == "true" && unreadable:
		s.Unknown = append(s.Unknown, "cluster/")
	case option == "false":
		s.Excepted = true
	case option == "true":
		md := w.api.shelf(deploymentsOn).seen()["md"].(*clusterv1.MachineDeployment)
		target := md.Spec.Template.Spec.Version
		for _, m := range w.api.shelf(machinesOn).seen() {
			switch {
			case m.(*clusterv1.Machine).Spec.Version == target:
			case md.Spec.Paused != nil && *md.Spec.Paused:
				s.Halted = []string{"cluster/" + target}
			default:
				s.Active = append(s.Active, "cluster/"+target)
				return
			}
		}
	}
	if w.api.shelf(clustersOn).forbidden {
		s.Excepted = false
	}
}

func (w *search) cluster(option string) {
	cluster := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "blue", Annotations: map[string]string{}}}
	if option != "" {
		cluster.Annotations[keyOption] = option
	}
	w.put(clustersOn, cluster)
}

func (w *search) target() string { return fmt.Sprintf("v1.%d.0", w.minor) }

// roll gives the MachineDeployment another version.
func (w *search) roll() {
	w.minor++
	d := &clusterv1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "md"}}
	d.Spec.ClusterName, d.Spec.Template.Spec.Version = "blue", w.target()
	w.put(deploymentsOn, d)
}
