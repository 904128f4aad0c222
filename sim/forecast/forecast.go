// Package forecast holds what explain says will happen against what happens then.
//
// The explorer asks at each rest of a world whose time is virtual, so to the second. Watch asks all the time, in a world of real
// servers, where others break things meanwhile: what is said counts if it is still said when it is due.
package forecast

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
)

// Changed reports whether something has happened to a machine that people want to know.
func Changed(before, after explain.Facts, namespace, name string) bool {
	was, is := machineIn(before, namespace, name), machineIn(after, namespace, name)
	switch {
	case was == nil || is == nil || was.Machine.UID != is.Machine.UID:
		return true
	case verdictOf(was) != verdictOf(is):
		return true
	}
	records := map[types.UID]*v1alpha1.MachineRemediation{}
	for _, one := range before.Records {
		records[one.Record.UID] = one.Record
	}
	for _, one := range after.Records {
		if one.Record.Spec.MachineRef.UID != is.Machine.UID {
			continue
		}
		if earlier := records[one.Record.UID]; earlier == nil || explain.Change(earlier, one.Record) != "" || tries(earlier) != tries(one.Record) {
			return true
		}
	}
	return false
}

// stamped is when the last thing that Changed tells of has happened, by what Sickbay itself or the API server has written down about it, to the
// second; zero if nothing was. The time of the look is later: writes, caches and the look take theirs.
func stamped(before, after explain.Facts, namespace, name string) time.Time {
	was, is := machineIn(before, namespace, name), machineIn(after, namespace, name)
	var last time.Time
	note := func(at *metav1.Time) {
		if at != nil && at.After(last) && !at.After(after.Now) {
			last = at.Time
		}
	}
	if was != nil && is != nil && verdictOf(was) != verdictOf(is) {
		note(judged(is))
	}
	for _, one := range after.Records {
		if r := one.Record; r.Namespace == namespace && r.Spec.MachineRef.Name == name {
			for _, at := range moments(r) {
				note(at)
			}
		}
	}
	if last.Before(before.Now.Truncate(time.Second)) {
		return time.Time{}
	}
	return last
}

// moments are all that a record has written down; nil is what has not happened.
func moments(r *v1alpha1.MachineRemediation) []*metav1.Time {
	all := []*metav1.Time{&r.CreationTimestamp, r.Status.CompletionTime, r.Status.RecoveryTime}
	for i := range r.Status.Attempts {
		all = append(all, r.Status.Attempts[i].StartTime, r.Status.Attempts[i].EndTime)
	}
	for i := range r.Status.Conditions {
		all = append(all, &r.Status.Conditions[i].LastTransitionTime)
	}
	return all
}

// judged is since when a machine has had its verdict; nil if it has none.
func judged(m *explain.Machine) *metav1.Time {
	if c := meta.FindStatusCondition(m.Machine.Status.Conditions, verdict.ConditionType); c != nil {
		return &c.LastTransitionTime
	}
	return nil
}

func verdictOf(m *explain.Machine) metav1.ConditionStatus {
	if c := meta.FindStatusCondition(m.Machine.Status.Conditions, verdict.ConditionType); c != nil {
		return c.Status
	}
	return ""
}

// tries counts the attempts of a record, and what they have made.
func tries(r *v1alpha1.MachineRemediation) (attempts [2]int) {
	for _, attempt := range r.Status.Attempts {
		attempts[0]++
		if attempt.ObjectRef != nil {
			attempts[1]++
		}
	}
	return attempts
}

func machineIn(facts explain.Facts, namespace, name string) *explain.Machine {
	for _, m := range facts.Machines {
		if m.Machine.Namespace == namespace && m.Machine.Name == name {
			return m
		}
	}
	return nil
}
