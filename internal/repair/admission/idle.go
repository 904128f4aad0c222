package admission

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Idle are sick machines on which nothing is done, by reason. It is for people: no admission depends on it.
type Idle struct {
	Count int
	// Since is since when the machine that is sick the longest has been sick.
	Since time.Time
}

// IdleBy counts the sick machines on which nothing is done, by what holds them back. It leaves out machines whose repair is about
// to begin: just admitted, or waiting only for the cache.
func IdleBy(f Facts, d Decision, now time.Time) map[string]Idle {
	why := map[types.UID]string{}
	for _, one := range d.Waiting {
		if one.Reason != ReasonExpected {
			why[one.UID] = one.Reason
		}
	}
	if d.Config.OnlyReports() {
		for _, one := range d.Admit {
			why[one.Machine.UID] = dryRunCondition(d).Reason
		}
	}
	records := f.openByMachine()
	idle := map[string]Idle{}
	for i := range f.Targets {
		target := &f.Targets[i]
		if !target.ours() {
			continue
		}
		reason := why[target.Machine.UID]
		if r := records[target.Machine.UID]; r != nil && reason == "" {
			reason = standsBy(r, now)
		}
		if reason == "" {
			continue
		}
		one := idle[reason]
		if since := target.Verdict().LastTransitionTime.Time; one.Count == 0 || since.Before(one.Since) {
			one.Since = since
		}
		one.Count++
		idle[reason] = one
	}
	return idle
}

// standsBy says in one word why an open record has no slot and is not in line for one; empty otherwise.
func standsBy(r *v1alpha1.MachineRemediation, now time.Time) string {
	reason := Blocked(r, now)
	if reason != blockedRecord {
		return reason
	}
	return cmp.Or(ladder.Progress(&r.Status).Reason, reason)
}
