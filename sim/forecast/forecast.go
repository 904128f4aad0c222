// Package forecast compares what explain says will happen with what happens.
//
// The explorer asks whenever a world with virtual time is at rest, so it can check to the second. Watch asks all the time, in a world with real
// servers in which others break things meanwhile. A prediction counts if explain still makes it when it is due.
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

// Changed reports whether something happened to a machine that people want to know.
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

// stamped returns when the last change that Changed reports happened, to the second, according to what Sickbay or the API server stored about
// it; zero if nothing was stored. The look itself is later, because writes, caches and looks take time.
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

// moments returns all times in a record; nil for what has not happened.
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

// judged returns since when a machine has had its verdict; nil if it has none.
func judged(m *explain.Machine) *metav1.Time {
	if c := meta.FindStatusCondition(m.Machine.Status.Conditions, verdict.ConditionType); c != nil {
		return &c.LastTransitionTime
	}
	return nil
}

func verdictOf(m *explain.Machine) metav1.ConditionStatus {
	return verdict.Of(m.Machine).Status
}

// tries counts the attempts of a record, and the objects that they created.
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
