package fleets

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// Empty is a fleet on the day when Sickbay is installed.
func Empty(now time.Time) explain.Facts {
	return explain.Facts{Now: now, Manager: explain.Manager{Name: "sickbay-0"}}
}

// Eleven machines, and one that is gone: there is one at least in each state that people have to know.
func Eleven(now time.Time) explain.Facts {
	metal := newPool(now, build.Cluster(Namespace, "iron"), "metal", atMostOne())
	held := metal.record(metal.sick("metal-1", 3*time.Hour), plan()[:2]...)
	metal.play(held, 3*time.Hour, 0)
	metal.play(metal.record(metal.sick("metal-2", time.Hour), plan()...), time.Hour, 0)
	metal.play(metal.record(metal.sick("metal-3", 41*time.Minute), plan()...), 41*time.Minute, 0)
	metal.recovered("metal-4", time.Hour, 2*time.Minute)
	metal.recovered("metal-5", 20*time.Hour, 19*time.Hour)
	metal.gone("metal-0", 30*time.Hour)
	metal.healthy("metal-6")

	workers := newPool(now, build.Cluster(Namespace, "blue"), "workers", build.TriggerIfAtMost(intstr.FromString("40%")))
	workers.sick("blue-x7", 12*time.Minute, zone("eu-1b"))
	workers.sick("blue-q2", 11*time.Minute, zone("eu-1b"))
	workers.undecided("blue-c9", 3*time.Minute, zone("eu-1a"))

	storage := newPool(now, build.Cluster(Namespace, "green"), "storage", held30(now, "the storage is being moved"))
	storage.sick("green-k4", 26*time.Minute)

	paused := newPool(now, build.Cluster(Namespace, "grey", build.Paused()), "batch")
	paused.sick("grey-h1", 90*time.Minute)
	return facts(now, metal, workers, storage, paused)
}

// held30 holds a MachineHealthCheck for half an hour.
func held30(now time.Time, why string) build.MachineHealthCheckOption {
	return build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) {
		metav1.SetMetaDataAnnotation(&mhc.ObjectMeta, targets.HoldUntilAnnotation, now.Add(30*time.Minute).Format(time.RFC3339))
		metav1.SetMetaDataAnnotation(&mhc.ObjectMeta, targets.HoldReasonAnnotation, why)
	})
}

// recovered adds a machine that fell sick, was rebooted, and has been healthy since so long.
func (p *pool) recovered(name string, sick, healthy time.Duration, opts ...build.MachineOption) *v1alpha1.MachineRemediation {
	m := p.sick(name, sick, opts...)
	r := p.record(m, plan()...)
	p.play(r, sick, sick-8*time.Minute)
	p.recovers(m, healthy)
	p.play(r, healthy, max(0, healthy-10*time.Minute))
	return r
}

// gone adds the record of a machine that was replaced.
func (p *pool) gone(name string, sick time.Duration) {
	r := p.record(p.sick(name, sick), step("replace", v1alpha1.ActionReplace, 1, time.Hour))
	r.Spec.TemplateRef = nil
	p.play(r, sick, sick-time.Minute)
	p.machines = p.machines[:len(p.machines)-1]
	p.play(r, sick-2*time.Minute, sick-4*time.Minute)
}

// perCluster is how many machines of Many are in a cluster.
const perCluster = 250

// Many is a fleet of that many machines, of which a few in each cluster need something.
func Many(now time.Time, machines int) explain.Facts {
	var pools []*pool
	for first := 0; first < machines; first += perCluster {
		number := first / perCluster
		cluster := build.Cluster(Namespace, fmt.Sprintf("fleet-%02d", number))
		p := newPool(now, cluster, "workers-"+cluster.Name, atMostOne(), build.TriggerIfAtMost(intstr.FromString(fmt.Sprint(1+number%4))))
		for i := range min(perCluster, machines-first) {
			p.one(name(cluster.Name, i), i, zone(fmt.Sprintf("eu-1%c", 'a'+i%3)))
		}
		pools = append(pools, p)
	}
	return facts(now, pools...)
}

// one adds the machine with a number.
func (p *pool) one(name string, number int, where build.MachineFunc) {
	switch number {
	case 7:
		p.play(p.record(p.sick(name, 41*time.Minute, where), plan()...), 41*time.Minute, 0)
	case 50, 51:
		p.sick(name, time.Duration(number-40)*time.Minute, where)
	case 90:
		p.undecided(name, 2*time.Minute, where)
	case 120:
		p.recovered(name, time.Hour, 3*time.Minute, where)
	case 160, 161, 162:
		p.recovered(name, time.Duration(number-140)*time.Hour, time.Duration(number-141)*time.Hour, where)
	default:
		p.healthy(name, where)
	}
}

// AllSick is a fleet of which nothing is healthy, in one failure domain, while nobody leads.
func AllSick(now time.Time) explain.Facts {
	var pools []*pool
	for _, cluster := range []string{"blue", "green", "red"} {
		p := newPool(now, build.Cluster(Namespace, cluster), "workers-"+cluster, build.TriggerIfAtMost(intstr.FromString("40%")))
		for i := range 20 {
			p.sick(name(cluster, i), time.Duration(5+i)*time.Minute, zone("eu-1b"))
		}
		pools = append(pools, p)
	}
	all := facts(now, pools...)
	all.Manager = explain.Manager{}
	return all
}

// Unreadable is a fleet of which no workload cluster answers, and of which nobody may know who leads.
func Unreadable(now time.Time) explain.Facts {
	var pools []*pool
	for _, cluster := range []string{"blue", "green", "red"} {
		p := newPool(now, build.Cluster(Namespace, cluster), "workers-"+cluster)
		p.unreadable = "connection to the workload cluster is down"
		for i := range 5 {
			p.machine(name(cluster, i), metav1.Condition{
				Status: metav1.ConditionUnknown, Reason: machinehealth.ReasonNodeUnavailable, Message: "Node cannot be read: " + p.unreadable,
				LastTransitionTime: metav1.NewTime(now.Add(-20 * time.Minute)),
			}, "True", time.Hour)
		}
		pools = append(pools, p)
	}
	all := facts(now, pools...)
	all.Manager = explain.Manager{Unknown: "you may not read leases"}
	return all
}
