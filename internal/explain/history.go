package explain

import (
	"cmp"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/timeline"
)

// Repair is a MachineRemediation as history: what was tried, how long each part took, and how it ended.
type Repair struct {
	Namespace string `json:"namespace"`
	Cluster   string `json:"cluster"`
	Machine   string `json:"machine"`
	// Host is the bare-metal host; empty if there was none.
	Host string `json:"host,omitempty"`
	// Name is the name of the MachineRemediation.
	Name string `json:"name"`
	// Reason and Message are the verdict that led to it, or AskedFor, and who asked.
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
	// Detected is when the machine fell sick, Admitted when it was admitted to repair, Acted when the first action began, and Healthy
	// when the machine, or the one that has replaced it, became healthy to stay; each is absent if it did not happen or is unknown.
	Detected time.Time  `json:"detected"`
	Admitted time.Time  `json:"admitted"`
	Acted    *time.Time `json:"acted,omitempty"`
	Healthy  *time.Time `json:"healthy,omitempty"`
	// Outcome is the reason of the condition Succeeded, or the phase while the repair is open.
	Outcome string `json:"outcome"`
	// Succeeded reports that an action was taken and helped. Unproven reports that the machine is gone as it should be, and that its plan did not
	// wait for one to replace it.
	Succeeded bool `json:"succeeded"`
	Unproven  bool `json:"unproven,omitempty"`
	// Attempts are the attempts, in order.
	Attempts []Attempt `json:"attempts,omitempty"`
}

// Attempt is one attempt of a repair.
type Attempt struct {
	Step string `json:"step"`
	// Result is empty while the attempt runs or its probation lasts.
	Result string `json:"result,omitempty"`
	// By is the person who decided about it; empty if nobody did.
	By string `json:"by,omitempty"`
}

// AskedFor is the reason of a repair that a person asked for.
const AskedFor = "AskedFor"

// History returns the repairs since a time, latest first.
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

// RepairOf returns the repair of one record.
func RepairOf(r *v1alpha1.MachineRemediation) Repair {
	times := timeline.Of(r)
	one := Repair{
		Namespace: r.Namespace, Cluster: r.Spec.ClusterName, Machine: r.Spec.MachineRef.Name, Name: r.Name, Reason: r.Spec.Finding.Reason,
		Message: r.Spec.Finding.Message, Outcome: string(r.Status.Phase),
		Detected: times.Detected, Admitted: times.Admitted, Acted: times.Acted, Healthy: times.Healthy, Succeeded: times.Succeeded,
		Unproven: times.Unproven,
	}
	if by := r.Spec.RequestedBy; by != nil {
		one.Reason, one.Message = AskedFor, by.String()
	}
	if r.Spec.HostRef != nil {
		one.Host = r.Spec.HostRef.Name
	}
	if c := ladder.Success(&r.Status); ladder.Ended(r) && c.Reason != "" {
		one.Outcome = c.Reason
	}
	for _, attempt := range r.Status.Attempts {
		tried := Attempt{Step: attempt.Step, Result: string(attempt.Result)}
		if attempt.Decision != nil {
			tried.By = attempt.Decision.By
		}
		one.Attempts = append(one.Attempts, tried)
	}
	return one
}
