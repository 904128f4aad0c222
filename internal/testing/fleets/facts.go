package fleets

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// turns is how often a record is looked at within a second, at most.
const turns = 20

// play has the controller look at a record again and again, from so long ago to so long ago. Each act is carried out as it is
// asked for, and each slot that is wanted is given. In between nothing happens, so it looks when something is due.
func (p *pool) play(r *v1alpha1.MachineRemediation, from, to time.Duration) {
	for at := p.now.Add(-from); !at.After(p.now.Add(-to)); at = at.Add(time.Second) {
		for range turns {
			if !p.turn(r, at) {
				break
			}
		}
		if wants, _ := ladder.WantsSlot(r, at); wants {
			r.Spec.Grant = r.Status.ReleasedGrant + 1
		}
	}
}

// turn reports whether something has changed.
func (p *pool) turn(r *v1alpha1.MachineRemediation, at time.Time) bool {
	d := ladder.Decide(p.ladderFacts(r), at)
	if d.Store {
		r.Status = d.Status
		return true
	}
	if n := d.Attempt.Number; !d.Act.Begins() || len(r.Status.Attempts) != int(n) || r.Status.Attempts[n-1].ObjectRef != nil {
		return false
	}
	made := &v1alpha1.RemediationObjectReference{Kind: "Machine", Name: r.Spec.MachineRef.Name}
	if d.Act == ladder.CreateReboot {
		made = &v1alpha1.RemediationObjectReference{Kind: "RebootRemediation", Name: fmt.Sprintf("%s-%d", r.Name, d.Attempt.Number)}
	}
	r.Status.Attempts[d.Attempt.Number-1].ObjectRef = made
	return true
}

func (p *pool) ladderFacts(r *v1alpha1.MachineRemediation) ladder.Facts {
	f := ladder.Facts{Record: r, Machine: ladder.Machine{Gone: true}}
	for _, m := range p.machines {
		if m.UID == r.Spec.MachineRef.UID {
			f.Machine = ladder.Machine{Health: health(m)}
		}
	}
	if n := len(r.Status.Attempts); n > 0 {
		last := r.Status.Attempts[n-1]
		if last.EndTime == nil && last.ObjectRef != nil && last.ObjectRef.Kind == "RebootRemediation" {
			f.Request = &ladder.Request{OperationID: last.OperationID, Ref: *last.ObjectRef}
		}
	}
	return f
}

func health(m *clusterv1.Machine) ladder.Health {
	switch m.Status.Conditions[len(m.Status.Conditions)-1].Status {
	case metav1.ConditionTrue:
		return ladder.Healthy
	case metav1.ConditionFalse:
		return ladder.Sick
	default:
		return ladder.Undecided
	}
}

// facts puts pools together as the fleet's observer does.
func facts(now time.Time, pools ...*pool) explain.Facts {
	all := explain.Facts{Now: now, Manager: explain.Manager{Name: "sickbay-0"}}
	for _, p := range pools {
		p.addTo(&all)
	}
	slices.SortFunc(all.Clusters, func(a, b explain.Cluster) int { return byName(a.Cluster, b.Cluster) })
	slices.SortFunc(all.Checks, func(a, b *explain.Check) int { return byName(a.MachineHealthCheck, b.MachineHealthCheck) })
	slices.SortFunc(all.Machines, func(a, b *explain.Machine) int { return byName(a.Machine, b.Machine) })
	slices.SortFunc(all.Records, func(a, b *explain.Record) int { return byName(a.Record, b.Record) })
	return all
}

func byName(a, b client.Object) int {
	return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
}

func (p *pool) addTo(all *explain.Facts) {
	if !slices.ContainsFunc(all.Clusters, func(c explain.Cluster) bool { return c.Cluster == p.cluster }) {
		all.Clusters = append(all.Clusters, explain.Cluster{Cluster: p.cluster, Unreadable: p.unreadable})
	}
	f := admission.Facts{MachineHealthCheck: p.mhc, Cluster: p.cluster, Records: p.records, History: p.records}
	check := &explain.Check{MachineHealthCheck: p.mhc}
	byUID := map[string]*explain.Machine{}
	for _, m := range p.machines {
		f.Targets = append(f.Targets, admission.Target{Machine: m})
		one := &explain.Machine{Machine: m, Check: check, Health: p.healthFacts(m)}
		byUID[string(m.UID)] = one
		check.Machines = append(check.Machines, one)
	}
	for _, r := range p.records {
		one := &explain.Record{Record: r}
		all.Records = append(all.Records, one)
		m := byUID[string(r.Spec.MachineRef.UID)]
		switch ended := ladder.Ended(r); {
		case ended && m != nil:
			m.Past = append(m.Past, one)
		case ended:
		default:
			one.Facts = p.ladderFacts(r)
			if m != nil {
				m.Record = one
			}
		}
	}
	check.Facts, check.Decision = f, admission.Decide(f, p.now)
	all.Checks, all.Machines = append(all.Checks, check), append(all.Machines, check.Machines...)
}

func (p *pool) healthFacts(m *clusterv1.Machine) *machinehealth.Facts {
	node := machinehealth.NodeFacts{State: machinehealth.NodeFound, Node: p.nodes[m.Name]}
	if p.unreadable != "" {
		node = machinehealth.NodeFacts{State: machinehealth.NodeUnreadable, Cause: p.unreadable, LostAt: p.now.Add(-20 * time.Minute)}
	}
	return &machinehealth.Facts{
		Machine: m, Cluster: p.cluster, Rules: machinehealth.RulesOf(p.mhc), Node: node,
		WasHealthy: health(m) == ladder.Healthy, GracePeriod: 5 * time.Minute,
	}
}
