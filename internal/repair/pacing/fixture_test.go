package pacing_test

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// now is the moment of these tests.
var now = build.Epoch.Add(24 * time.Hour)

type outcome string

const (
	proven  outcome = "proven"
	failed  outcome = "failed"
	neither outcome = "neither"
)

// repair of the domains a and z began and ended that long ago.
func repair(uid types.UID, began, ended time.Duration, came outcome) pacing.Repair {
	r := atWork(uid, began)
	r.Completed, r.Proven, r.Failed = now.Add(-ended), came == proven, came == failed
	return r
}

// atWork is a repair of the domains a and z that is not over.
func atWork(uid types.UID, began time.Duration) pacing.Repair {
	return pacing.Repair{UID: uid, Domains: []string{"a", "z"}, Started: now.Add(-began), Served: now.Add(-began)}
}

func candidate(uid types.UID, keys ...string) pacing.Candidate {
	c := pacing.Candidate{UID: uid}
	for _, key := range keys {
		c.Domains = append(c.Domains, pacing.Domain{Key: key, Name: "MachineSet " + key})
	}
	return c
}

// several are candidates of the same domains: name-0, name-1 and so on.
func several(n int, name string, keys ...string) []pacing.Candidate {
	var all []pacing.Candidate
	for i := range n {
		all = append(all, candidate(types.UID(fmt.Sprintf("%s-%d", name, i)), keys...))
	}
	return all
}

func uids(candidates []pacing.Candidate) []string {
	var all []string
	for _, c := range candidates {
		all = append(all, string(c.UID))
	}
	return all
}

// limitOf returns how many repairs of a domain may be unproven at once.
func limitOf(p pacing.Pace, domain string) int {
	if state, busy := p.Busy()[domain]; busy {
		return state.Limit
	}
	return 1
}
