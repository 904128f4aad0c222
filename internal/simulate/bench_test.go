package simulate

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// BenchmarkPlay plays two hours of 10,000 machines, many of which fall sick.
func BenchmarkPlay(b *testing.B) {
	paced := func(p *v1alpha1.RemediationPlan) {
		p.Pacing = &v1alpha1.RemediationPacing{Domains: []v1alpha1.PacingDomain{v1alpha1.DomainOwner}}
	}
	for name, one := range map[string]struct {
		fleet *fleet
		share string
		world World
	}{
		"a tenth, no bound":       {newFleet().healthy(10000), "10%", World{}},
		"a tenth, 50 slots":       {newFleet().annotated(mhcspec.MaxInFlightAnnotation, "50").healthy(10000), "10%", World{}},
		"a tenth, 3 slots":        {newFleet().annotated(mhcspec.MaxInFlightAnnotation, "3").healthy(10000), "10%", World{}},
		"all, no bound, in vain":  {newFleet().healthy(10000), "100%", InVain},
		"a tenth, paced":          {newFleet().planned(paced, metal()...).healthy(10000), "10%", World{}},
		"a tenth, plan, in vain":  {newFleet().planned(nil, metal()...).healthy(10000), "10%", InVain},
		"half, the gate closed":   {newFleet().atMost("40%").healthy(10000), "50%", World{}},
		"a tenth, paced, in vain": {newFleet().planned(paced, metal()...).healthy(10000), "10%", InVain},
	} {
		b.Run(name, func(b *testing.B) {
			fail, err := ParseFail(one.share)
			if err != nil {
				b.Fatal(err)
			}
			facts := one.fleet.facts()
			for b.Loop() {
				s, err := Suppose(facts, Changes{}, mhcspec.Policy{Adopt: mhcspec.AdoptAll})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.Play(Options{For: 2 * time.Hour, RepairTakes: 10 * time.Minute, Fails: []Fail{fail}, World: one.world}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
