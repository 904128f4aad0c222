package explain

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// Repair is a MachineRemediation as history: how long each part took, and what came of it.
type Repair struct {
	Namespace string `json:"namespace"`
	Cluster   string `json:"cluster"`
	Machine   string `json:"machine"`
	// Host is the bare-metal host; empty if the machine ran on none.
	Host string `json:"host,omitempty"`
	// Name is that of the MachineRemediation.
	Name string `json:"name"`
	// Reason and Message are the verdict that led to it.
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
	// Detected is when the machine fell sick, Admitted when it was admitted to repair, Acted when the first thing was done, Healthy when
	// the machine was healthy to stay, or gone; each is absent if it did not happen.
	Detected time.Time  `json:"detected"`
	Admitted time.Time  `json:"admitted"`
	Acted    *time.Time `json:"acted,omitempty"`
	Healthy  *time.Time `json:"healthy,omitempty"`
	// Outcome is the reason of the condition Succeeded; while the repair goes on, its phase.
	Outcome string `json:"outcome"`
	// Succeeded reports that something was done and has helped.
	Succeeded bool `json:"succeeded"`
	// Attempts are what was tried, in order.
	Attempts []Attempt `json:"attempts,omitempty"`
}

// Attempt is one attempt of a repair.
type Attempt struct {
	Step string `json:"step"`
	// Result is empty while it is at work, and while it has to prove that it helped.
	Result string `json:"result,omitempty"`
	// By is who decided about it; empty if nobody did.
	By string `json:"by,omitempty"`
}

// History are repairs since a time, the latest first.
func History(records []v1alpha1.MachineRemediation, since time.Time) []Repair {
	var all []Repair
	for i := range records {
		if r := &records[i]; !r.CreationTimestamp.Time.Before(since) {
			all = append(all, RepairOf(r))
		}
	}
	slices.SortFunc(all, func(a, b Repair) int {
		return cmp.Or(b.Admitted.Compare(a.Admitted), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// RepairOf is the repair of one record.
func RepairOf(r *v1alpha1.MachineRemediation) Repair {
	one := Repair{
		Namespace: r.Namespace, Cluster: r.Spec.ClusterName, Machine: r.Spec.MachineRef.Name, Name: r.Name, Reason: r.Spec.Finding.Reason,
		Message: r.Spec.Finding.Message, Detected: r.Spec.Finding.Since.Time, Admitted: r.CreationTimestamp.Time, Outcome: string(r.Status.Phase),
	}
	if r.Spec.HostRef != nil {
		one.Host = r.Spec.HostRef.Name
	}
	one.addAttempts(r.Status.Attempts)
	if c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionSucceeded); ladder.Ended(r) && c != nil {
		one.Outcome = c.Reason
		one.Succeeded = one.Acted != nil && (c.Reason == v1alpha1.ReasonRecovered || c.Reason == v1alpha1.ReasonReplaced)
		if one.Succeeded || c.Reason == v1alpha1.ReasonRecoveredUnaided {
			one.Healthy = healthyAt(r)
		}
	}
	return one
}

func (r *Repair) addAttempts(attempts []v1alpha1.RemediationAttempt) {
	for _, attempt := range attempts {
		if attempt.ObjectRef != nil && r.Acted == nil && attempt.StartTime != nil {
			r.Acted = &attempt.StartTime.Time
		}
		tried := Attempt{Step: attempt.Step, Result: string(attempt.Result)}
		if attempt.Decision != nil {
			tried.By = attempt.Decision.By
		}
		r.Attempts = append(r.Attempts, tried)
	}
}

// healthyAt is when the machine was healthy to stay, or gone.
func healthyAt(r *v1alpha1.MachineRemediation) *time.Time {
	if r.Status.RecoveryTime != nil {
		return &r.Status.RecoveryTime.Time
	}
	return &r.Status.CompletionTime.Time
}
