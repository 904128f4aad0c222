package soak

import (
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// watch records in the ledger what the API server reports, until ctx ends. It calls marked for Machines that their owner must replace.
func (l *Ledger) watch(ctx context.Context, w *world.World, marked func(client.ObjectKey)) error {
	see := func(object client.Object, gone bool) {
		switch object := object.(type) {
		case *clusterv1.Machine:
			if l.seen(object, gone) {
				marked(client.ObjectKeyFromObject(object))
			}
		case *clusterv1.MachineHealthCheck:
			l.healthCheckSeen(object)
		case *v1alpha1.MachineRemediation:
			l.repaired(object, gone)
		}
	}
	options := cache.Options{DefaultTransform: cache.TransformStripManagedFields()}
	return journal.Watch(ctx, w, options, see, &clusterv1.Machine{}, &clusterv1.MachineHealthCheck{}, &v1alpha1.MachineRemediation{})
}

// seen records the state of a Machine. It reports whether its owner was just asked to replace it.
func (l *Ledger) seen(machine *clusterv1.Machine, gone bool) (marked bool) {
	l.note(func(now time.Time) {
		r := l.record(client.ObjectKeyFromObject(machine), client.ObjectKey{Namespace: machine.Namespace, Name: machine.Spec.ClusterName})
		if gone {
			r.Gone = now
			return
		}
		r.judged(journal.Verdict(machine), now)
		if marked = journal.Marked(machine) && r.Marked.At.IsZero(); marked {
			r.Marked = Saying{now, conditions.GetReason(machine, clusterv1.MachineOwnerRemediatedCondition)}
			if len(r.Called) > 0 {
				r.Marked.What = r.Called[len(r.Called)-1].What
			}
		}
	})
	return marked
}

// repaired records the state of a MachineRemediation.
func (l *Ledger) repaired(repair *v1alpha1.MachineRemediation, gone bool) {
	machine := client.ObjectKey{Namespace: repair.Namespace, Name: repair.Spec.MachineRef.Name}
	// A completed record stays for a while, until nothing can arrive late any more. It does not block other repairs.
	open := !gone && repair.Status.CompletionTime == nil
	waits := open && (repair.Status.Phase == v1alpha1.RemediationPending || repair.Status.Phase == v1alpha1.RemediationHeld || watches(repair))
	l.note(func(now time.Time) {
		cluster := client.ObjectKey{Namespace: repair.Namespace, Name: repair.Spec.ClusterName}
		l.record(machine, cluster).repair(repair.Name, open, now)
		l.setAt(About{SaysWaiting, machine}, waits, now)
	})
}

// watches reports whether the current step of the plan only waits.
func watches(repair *v1alpha1.MachineRemediation) bool {
	return slices.ContainsFunc(repair.Spec.Steps, func(s v1alpha1.RemediationStep) bool {
		return s.Action == v1alpha1.ActionWait && s.Name == repair.Status.Step
	})
}

// healthCheckSeen records the state of a MachineHealthCheck.
func (l *Ledger) healthCheckSeen(mhc *clusterv1.MachineHealthCheck) {
	cluster := client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.ClusterName}
	allowed := meta.FindStatusCondition(mhc.Status.Conditions, clusterv1.MachineHealthCheckRemediationAllowedCondition)
	l.note(func(now time.Time) {
		l.setAt(About{SaysPaused, cluster}, meta.IsStatusConditionTrue(mhc.Status.Conditions, clusterv1.PausedCondition), now)
		// False with another reason does not hold remediations back.
		restricted := allowed != nil && allowed.Status == metav1.ConditionFalse && allowed.Reason == clusterv1.MachineHealthCheckTooManyUnhealthyReason
		l.setAt(About{SaysRestricted, cluster}, restricted, now)
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
			l.setAt(About{SaysQueued, name}, more || named[name.Name], now)
		}
	}
}

// queue returns the machines that a message lists as waiting for a slot or as paced, and whether there are more than it names.
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
