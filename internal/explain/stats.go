package explain

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/timeline"
)

// Stats sums up repairs.
type Stats struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Repairs is how many there are, Open how many of them have not ended, and Outcomes how the others ended.
	Repairs  int            `json:"repairs"`
	Open     int            `json:"open"`
	Outcomes map[string]int `json:"outcomes,omitempty"`
	// Unproven is how many of them had the machine deleted, and did not wait for one to replace it.
	Unproven int `json:"unproven,omitempty"`
	// Times says how long the parts of successful repairs took.
	Times []Times `json:"times,omitempty"`
	// Steps says how often each step helped.
	Steps []StepStats `json:"steps,omitempty"`
	// Again lists machines and hosts that were repaired more than once, most often first.
	Again []Again `json:"again,omitempty"`
}

// Times is how long a part of repairs took.
type Times struct {
	// Part is admit (from the verdict), act (from admission), heal (from the first act) or all.
	Part string `json:"part"`
	// Of is how many repairs the figures are based on. The figures are in seconds.
	Of  int     `json:"of"`
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
}

// Percent is how many of the attempts with a known result helped; false if no result is known.
func (s StepStats) Percent() (percent int, known bool) {
	n := s.Tried - s.Unproven
	if n == 0 {
		return 0, false
	}
	return 100 * s.Helped / n, true
}

// StepStats has the results of a step.
type StepStats struct {
	Step string `json:"step"`
	// Tried is how many completed attempts count, and Helped is how many of them helped. Unproven is how many had the machine deleted in a plan that
	// does not wait for one to replace it: nobody knows whether they helped.
	Tried    int `json:"tried"`
	Helped   int `json:"helped"`
	Unproven int `json:"unproven,omitempty"`
}

// Again is a machine or a host that was repaired more than once.
type Again struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Repairs   int    `json:"repairs"`
}

// Sum sums up repairs, without what somebody asked for.
func Sum(repairs []Repair) Stats {
	repairs = slices.DeleteFunc(slices.Clone(repairs), func(r Repair) bool { return r.Reason == AskedFor })
	s := Stats{APIVersion: APIVersion, Kind: "RepairStatistics", Repairs: len(repairs), Outcomes: map[string]int{}}
	parts := map[string][]time.Duration{}
	steps := map[string]*StepStats{}
	for i := range repairs {
		one := &repairs[i]
		if !one.over() {
			s.Open++
			continue
		}
		s.Outcomes[one.Outcome]++
		if one.Unproven {
			s.Unproven++
		}
		for part, took := range one.times().Parts() {
			parts[part] = append(parts[part], took)
		}
		one.countSteps(steps)
	}
	for _, part := range []string{"admit", "act", "heal", "all"} {
		if all := parts[part]; len(all) > 0 {
			slices.Sort(all)
			s.Times = append(s.Times, Times{part, len(all), quantile(all, 50), quantile(all, 90), quantile(all, 99)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(steps)) {
		s.Steps = append(s.Steps, *steps[name])
	}
	s.Again = again(repairs)
	return s
}

// over reports whether a repair has ended: then its outcome is not a phase.
func (r *Repair) over() bool {
	switch v1alpha1.RemediationPhase(r.Outcome) {
	case "", v1alpha1.RemediationPending, v1alpha1.RemediationActing, v1alpha1.RemediationProbation, v1alpha1.RemediationHeld:
		return false
	case v1alpha1.RemediationEnded:
	}
	return true
}

// times returns the milestones of a repair.
func (r *Repair) times() timeline.Times {
	return timeline.Times{Detected: r.Detected, Admitted: r.Admitted, Acted: r.Acted, Healthy: r.Healthy, Succeeded: r.Succeeded, Unproven: r.Unproven}
}

func (r *Repair) countSteps(steps map[string]*StepStats) {
	for i, attempt := range r.Attempts {
		switch v1alpha1.AttemptResult(attempt.Result) {
		case v1alpha1.ResultSucceeded, v1alpha1.ResultFailed, v1alpha1.ResultTimedOut:
		default:
			continue
		}
		if steps[attempt.Step] == nil {
			steps[attempt.Step] = &StepStats{Step: attempt.Step}
		}
		steps[attempt.Step].Tried++
		switch {
		case v1alpha1.AttemptResult(attempt.Result) != v1alpha1.ResultSucceeded:
		case r.Unproven && i == len(r.Attempts)-1:
			steps[attempt.Step].Unproven++
		default:
			steps[attempt.Step].Helped++
		}
	}
}

// quantile returns the smallest duration, in seconds, that at least percent of the sorted durations do not exceed.
func quantile(sorted []time.Duration, percent int) float64 {
	return sorted[(len(sorted)*percent+99)/100-1].Seconds()
}

// again returns the machines and hosts with more than one repair.
func again(repairs []Repair) []Again {
	counts := map[Again]int{}
	for _, one := range repairs {
		counts[Again{Kind: "machine", Namespace: one.Namespace, Name: one.Machine}]++
		if one.Host != "" {
			counts[Again{Kind: "host", Namespace: one.Namespace, Name: one.Host}]++
		}
	}
	var all []Again
	for one, n := range counts {
		if n > 1 {
			one.Repairs = n
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b Again) int {
		return cmp.Or(cmp.Compare(b.Repairs, a.Repairs), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return all
}
