package upgradepause

import (
	"fmt"
	"slices"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// actions returns what may happen next.
func (w *search) actions() map[string]func(*rapid.T) {
	look := func(t *rapid.T) { w.look(t, rapid.SampledFrom(w.names()).Draw(t, "name")) }
	return map[string]func(*rapid.T){
		"look":                   look,
		"look again":             look,
		"and again":              look,
		"a cache catches up":     w.advance,
		"another cache does":     w.advance,
		"a kind may not be read": w.forbid,
		"a write goes wrong":     w.fail,
		"restart":                w.restart,
		"time passes":            w.wait,
		"OpenShift":              w.openshift,
		"the pool":               w.pool,
		"the Cluster":            w.capi,
		"Nodes":                  w.nodes,
		"a person":               w.person,
		"rest":                   w.rest,
		"everything ends":        w.end,
	}
}

func (w *search) kind(t *rapid.T) *shelf {
	return w.api.shelf(rapid.SampledFrom([]string{
		checksOn, versionOn, poolsOn, clustersOn, deploymentsOn, machinesOn, openshiftMachinesOn, nodesOn,
	}).Draw(t, "kind"))
}

func (w *search) advance(t *rapid.T) {
	s := w.kind(t)
	s.read = rapid.IntRange(s.read, len(s.versions)-1).Draw(t, "read")
}

func (w *search) forbid(t *rapid.T) {
	if s := w.kind(t); s != w.api.shelf(checksOn) {
		s.forbidden = !s.forbidden
	}
}

func (w *search) fail(t *rapid.T) {
	w.api.fault = rapid.SampledFrom([]string{"crash before", "crash after", "lost answer", "refused"}).Draw(t, "fault")
}

func (w *search) wait(t *rapid.T) {
	w.pass(rapid.SampledFrom([]time.Duration{time.Second, time.Minute, settleWithin, time.Hour, 5 * time.Hour}).Draw(t, "for"))
}

func (w *search) pass(d time.Duration) {
	w.clock.SetTime(w.clock.Now().Add(d))
	w.people.Now = w.clock.Now()
}

func (w *search) openshift(t *rapid.T) {
	cv := w.api.shelf(versionOn).latest()["version"].(*configv1.ClusterVersion)
	began, completed := cv.Status.History[0].StartedTime.Time, cv.Status.History[0].State == configv1.CompletedUpdate
	switch rapid.SampledFrom([]string{"begins", "completes", "halts", "goes on"}).Draw(t, "OpenShift") {
	case "begins":
		w.pass(time.Second) // each has its own time
		w.put(versionOn, searchVersion(w.clock.Now(), configv1.PartialUpdate, true))
	case "completes":
		w.put(versionOn, searchVersion(began, configv1.CompletedUpdate, false))
	case "halts":
		if !completed {
			w.put(versionOn, searchVersion(began, configv1.PartialUpdate, false))
		}
	default:
		if !completed {
			w.put(versionOn, searchVersion(began, configv1.PartialUpdate, true))
		}
	}
}

func (w *search) pool(t *rapid.T) {
	pool := w.api.shelf(poolsOn).latest()["worker"].(*mcfgv1.MachineConfigPool)
	updated := pool.Status.UpdatedMachineCount
	status := corev1.ConditionTrue
	switch rapid.SampledFrom([]string{"begins", "gets on", "is paused", "goes on", "has a sick Node"}).Draw(t, "the pool") {
	case "begins":
		if updated < 2 {
			return
		}
		updated = 0
		w.pass(time.Second)
		w.began = w.clock.Now()
	case "gets on":
		updated = min(updated+1, 2)
	case "is paused":
		status = corev1.ConditionFalse
	}
	if updated == 2 && status == corev1.ConditionFalse {
		status = corev1.ConditionTrue // it has a sick Node, which is no update
	}
	if status != pool.Status.Conditions[0].Status {
		w.pass(time.Second)
		w.began = w.clock.Now()
	}
	next := searchPool(updated, status)
	next.Status.Conditions[0].LastTransitionTime = metav1.NewTime(w.began)
	w.put(poolsOn, next)
}

func (w *search) capi(t *rapid.T) {
	switch rapid.SampledFrom([]string{"rolls", "gets a new machine", "loses an old one", "loses an old one", "is held up", "is annotated"}).Draw(t, "the Cluster") {
	case "rolls":
		w.roll()
	case "is held up":
		w.holdUp(true)
		if rapid.Bool().Draw(t, "for long") {
			w.rest(t)
		}
		w.holdUp(false)
	case "gets a new machine":
		w.put(machinesOn, searchMachine(fmt.Sprintf("m%d", w.minor), w.target(), rapid.Bool().Draw(t, "ready")))
	case "loses an old one":
		w.api.shelf(machinesOn).put(func(all map[string]client.Object) {
			for name, m := range all {
				if m.(*clusterv1.Machine).Spec.Version != w.target() {
					delete(all, name)
				}
			}
		})
	default:
		w.cluster(rapid.SampledFrom([]string{"true", "true", "false", "", "maybe"}).Draw(t, "option"))
	}
}

// holdUp makes a person pause the MachineDeployment, or let it go on.
func (w *search) holdUp(yes bool) {
	md := w.api.shelf(deploymentsOn).latest()["md"].DeepCopyObject().(*clusterv1.MachineDeployment)
	md.Spec.Paused = new(yes)
	w.put(deploymentsOn, md)
}

func (w *search) nodes(t *rapid.T) {
	ready := rapid.Bool().Draw(t, "ready")
	w.put(nodesOn, searchNode(ready))
	w.api.shelf(machinesOn).put(func(all map[string]client.Object) {
		for name, m := range all {
			all[name] = searchMachine(name, m.(*clusterv1.Machine).Spec.Version, ready)
		}
	})
}

// person does what people do in TestHistories, with the stored objects.
func (w *search) person(t *rapid.T) {
	acts := map[string]func(*rapid.T){"pauses": w.people.Pause, "unpauses": w.people.Unpause, "takes the marker": w.people.Unmark, "hands over": w.people.HandOver, "excepts": w.people.Except}
	before := map[string]stored{}
	for _, name := range w.names() {
		before[name] = w.people.Live[name].Annotations.And(nil)
	}
	acts[rapid.SampledFrom([]string{"pauses", "unpauses", "unpauses", "takes the marker", "hands over", "excepts"}).Draw(t, "a person")](t)
	for _, name := range w.names() {
		if after := w.people.Live[name].Annotations; !mapsEqual(before[name], after) {
			w.api.store(name, after.And(nil))
		}
	}
}

func mapsEqual(a, b stored) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// calm stops all faults: everything can be read, caches catch up, and writes succeed.
func (w *search) calm() {
	w.api.fault = ""
	for _, s := range w.api.shelves {
		s.forbidden = false
	}
	w.catchUp()
}

// rest checks that, once faults stop, the controller comes to rest and has done what is wanted.
func (w *search) rest(t *rapid.T) {
	w.calm()
	w.settle(t)
	for _, name := range w.names() {
		o := w.people.Live[name]
		o.Ghost.AtRest(t, &w.people, o, w.sees(name, o.Annotations))
	}
}

func (w *search) settle(t *rapid.T) {
	for _, name := range w.names() {
		for range 3 {
			w.look(t, name)
			w.catchUp()
		}
		before := w.api.version
		w.look(t, name)
		if w.api.version != before {
			t.Fatalf("%s did not settle: %v", name, w.people.Live[name].Annotations)
		}
	}
}

// end checks that, once nothing upgrades, and with only the looks that the controller asks for, each pause of ours ends
// within the timeout of the Nodes, even if they never come back.
func (w *search) end(t *rapid.T) {
	w.calm()
	w.put(versionOn, searchVersion(w.clock.Now(), configv1.CompletedUpdate, false))
	w.put(poolsOn, searchPool(2, corev1.ConditionTrue))
	if w.api.shelf(clustersOn).latest()["blue"].GetAnnotations()[keyOption] == "maybe" {
		w.cluster("true") // while its wish is invalid, the object stays as it is
	}
	w.api.shelf(machinesOn).put(func(all map[string]client.Object) {
		for name := range all {
			all[name] = searchMachine(name, w.target(), false)
		}
	})
	w.calm()
	w.settle(t)
	until := w.clock.Now().Add(settleWithin)
	for len(w.paused()) > 0 {
		w.tick(t)
		if late := w.clock.Now().After(until); late || (len(w.paused()) > 0 && !w.clock.Now().Before(until)) {
			t.Fatalf("it stays paused after everything, until %s: %v, %v", w.clock.Now(), w.people.Live["openshift"], w.people.Live["capi"])
		}
	}
}

// paused returns the objects that we pause.
func (w *search) paused() []string {
	return slices.DeleteFunc(w.names(), func(name string) bool { return w.people.Live[name].Ghost.By != "us" })
}

// tick passes the time until the next look that the controller asked for.
func (w *search) tick(t *rapid.T) {
	next := time.Hour
	for _, name := range w.paused() {
		if w.again[name] > 0 {
			next = min(next, w.again[name])
		}
	}
	w.pass(next)
	for _, name := range w.names() {
		w.look(t, name)
		w.catchUp()
	}
}
