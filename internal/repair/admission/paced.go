package admission

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
)

// paced returns the ready machines that the pacing of their domains lets begin, in its order; the others wait. Machines that need
// no slot change nothing, and are not paced.
func (d *Decision) paced(f Facts, ready []Admission, now time.Time) []Admission {
	if len(ready) == 0 {
		return nil
	}
	pace, kinds := f.pace(now)
	if len(kinds) == 0 {
		return ready
	}
	for _, one := range d.Admit {
		pace.Take(candidate(one, kinds))
	}
	var going []Admission
	var due []pacing.Candidate
	byMachine := map[types.UID]Admission{}
	for _, one := range ready {
		if !one.needsSlot() {
			going = append(going, one)
			continue
		}
		due = append(due, candidate(one, kinds))
		byMachine[one.Machine.UID] = one
	}
	eligible, held := pace.Order(due)
	for _, c := range eligible {
		going = append(going, byMachine[c.UID])
	}
	for _, h := range held {
		d.RecheckAt = healthcheck.Earliest(d.RecheckAt, h.Until)
		d.wait(byMachine[h.Candidate.UID], Obstacle{Reason: v1alpha1.ReasonPaced, Message: h.Why, Until: h.Until})
	}
	return going
}

// Paced says why the pacing of its domains does not let a machine begin now; empty if it does. Others in line may still come first.
func Paced(f Facts, machine *clusterv1.Machine, now time.Time) string {
	pace, kinds := f.pace(now)
	_, held := pace.Order([]pacing.Candidate{candidate(Admission{Machine: machine}, kinds)})
	if len(held) == 0 {
		return ""
	}
	return held[0].Why
}

// pace returns how fast the domains of the plan may go, and their kinds; none if it has no pacing.
func (f Facts) pace(now time.Time) (pacing.Pace, []v1alpha1.PacingDomain) {
	if f.Template.Plan == nil || f.Template.Plan.Spec.Template.Spec.Pacing == nil {
		return pacing.Pace{}, nil
	}
	kinds := f.Template.Plan.Spec.Template.Spec.Pacing.Domains
	var repairs []pacing.Repair
	for _, r := range f.History {
		if repair, ok := pacing.RepairOf(r, kinds); ok {
			repairs = append(repairs, repair)
		}
	}
	return pacing.Of(repairs, now), kinds
}

func candidate(one Admission, kinds []v1alpha1.PacingDomain) pacing.Candidate {
	return pacing.Candidate{UID: one.Machine.UID, Domains: pacing.DomainsOf(one.Machine, kinds)}
}

// DomainPace is how fast one domain may go.
type DomainPace struct {
	// Domain is the name of the domain in messages.
	Domain string
	pacing.State
}

// Paces returns the pace of the machines' domains in which something was repaired recently; none if the plan has no pacing.
func Paces(f Facts, now time.Time) []DomainPace {
	pace, kinds := f.pace(now)
	if len(kinds) == 0 {
		return nil
	}
	left := pace.Busy()
	var all []DomainPace
	for i := range f.Targets {
		if len(left) == 0 {
			break
		}
		for _, domain := range pacing.DomainsOf(f.Targets[i].Machine, kinds) {
			state, busy := left[domain.Key]
			if busy {
				all = append(all, DomainPace{domain.Name, state})
				delete(left, domain.Key)
			}
		}
	}
	return all
}
