package soak

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// seen records the state of a Machine. It reports whether its owner was just asked to replace it.
func (live *liveLedger) seen(machine *clusterv1.Machine) (marked bool) {
	live.note(func(l *Ledger, now time.Time) {
		cluster := client.ObjectKey{Namespace: machine.Namespace, Name: machine.Spec.ClusterName}
		r := l.record(client.ObjectKeyFromObject(machine), cluster)
		r.judged(meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition), now)
		mark := meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
		if marked = mark != nil && mark.Status == metav1.ConditionFalse && r.Marked.At.IsZero(); marked {
			r.Marked = Saying{now, mark.Reason}
			if len(r.Called) > 0 {
				r.Marked.What = r.Called[len(r.Called)-1].What
			}
		}
	})
	return marked
}

// judged records a verdict, which may be missing.
func (r *Record) judged(verdict *metav1.Condition, now time.Time) {
	before := r.Verdict
	if verdict == nil {
		r.Verdict = "there is no verdict"
		return
	}
	if verdict.Status == metav1.ConditionTrue {
		r.Verdict = ""
		return
	}
	r.Verdict = fmt.Sprintf("%s is %s, %s: %s", verdict.Type, verdict.Status, verdict.Reason, verdict.Message)
	if verdict.Status == metav1.ConditionFalse && r.Verdict != before {
		r.Called = append(r.Called, Saying{now, verdict.Message})
	}
}

// repaired records the state of a MachineRemediation.
func (live *liveLedger) repaired(repair *v1alpha1.MachineRemediation, gone bool) {
	machine := client.ObjectKey{Namespace: repair.Namespace, Name: repair.Spec.MachineRef.Name}
	// A completed record stays for a while, until nothing can arrive late any more. It does not block other repairs.
	open := !gone && repair.Status.CompletionTime == nil
	waits := open && (repair.Status.Phase == v1alpha1.RemediationPending || repair.Status.Phase == v1alpha1.RemediationHeld || watches(repair))
	live.note(func(l *Ledger, now time.Time) {
		cluster := client.ObjectKey{Namespace: repair.Namespace, Name: repair.Spec.ClusterName}
		l.record(machine, cluster).repair(repair.Name, open, now)
		l.set(About{SaysWaiting, machine}, waits, now)
	})
}

// watches reports whether the current step of the plan only waits.
func watches(repair *v1alpha1.MachineRemediation) bool {
	return slices.ContainsFunc(repair.Spec.Steps, func(s v1alpha1.RemediationStep) bool {
		return s.Action == v1alpha1.ActionWait && s.Name == repair.Status.Step
	})
}

// gone records that a Machine was deleted.
func (live *liveLedger) gone(name client.ObjectKey) {
	live.note(func(l *Ledger, now time.Time) {
		if r, ok := l.Machines[name]; ok {
			r.Gone = now
		}
	})
}

// healthCheckSeen records the state of a MachineHealthCheck.
func (live *liveLedger) healthCheckSeen(mhc *clusterv1.MachineHealthCheck) {
	cluster := client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.ClusterName}
	allowed := meta.FindStatusCondition(mhc.Status.Conditions, clusterv1.MachineHealthCheckRemediationAllowedCondition)
	live.note(func(l *Ledger, now time.Time) {
		l.set(About{SaysPaused, cluster}, meta.IsStatusConditionTrue(mhc.Status.Conditions, clusterv1.PausedCondition), now)
		// False with another reason does not hold remediations back.
		restricted := allowed != nil && allowed.Status == metav1.ConditionFalse && allowed.Reason == clusterv1.MachineHealthCheckTooManyUnhealthyReason
		l.set(About{SaysRestricted, cluster}, restricted, now)
		if allowed != nil {
			l.queued(cluster, allowed.Message, now)
		}
	})
}

// queued records which Machines of a cluster a message lists as waiting their turn.
func (l *Ledger) queued(cluster client.ObjectKey, message string, now time.Time) {
	named, more := queue(message)
	for name, r := range l.Machines {
		if r.Cluster == cluster {
			l.set(About{SaysQueued, name}, more || named[name.Name], now)
		}
	}
}

// queue returns the machines that a message lists as waiting for a slot or as paced, and whether there are more than
// it names.
func queue(message string) (named map[string]bool, more bool) {
	named = map[string]bool{}
	for part := range strings.SplitSeq(message, ";") {
		if !strings.Contains(part, " for a slot: ") && !strings.Contains(part, " paced: ") {
			continue
		}
		for _, word := range strings.FieldsFunc(part, func(r rune) bool { return r == ' ' || r == ',' }) {
			named[word] = true
			more = more || word == "more"
		}
	}
	return named, more
}
