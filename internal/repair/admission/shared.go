package admission

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Shared is what is known about a Machine that several MachineHealthChecks select.
type Shared struct {
	// Checks are all of them, the oldest first.
	Checks []*clusterv1.MachineHealthCheck
	// Part is the part of the stored verdict that this MachineHealthCheck's own rules explain; nil without a verdict.
	Part *metav1.Condition
	// ChangesAt is when that changes by itself; zero if it does not.
	ChangesAt time.Time
	// Older are the older ones whose rules find the Machine sick, too.
	Older []*clusterv1.MachineHealthCheck
	// Repaired reports that this MachineHealthCheck finds it healthy, and it is repaired for another one.
	Repaired bool
	// Other is the MachineHealthCheck that repairs the Machine, if it is not this one; empty if it is.
	Other string
}

// PartOf returns which part of a stored verdict one of several MachineHealthChecks has: what its own rules find now, but nothing worse than what is
// stored, since a new verdict is on its way then.
func PartOf(stored *metav1.Condition, own healthcheck.Result) *metav1.Condition {
	if stored == nil || stored.Status == metav1.ConditionTrue || (own.Status == healthcheck.False && stored.Status != metav1.ConditionFalse) {
		return stored
	}
	part := *stored
	part.Status, part.Reason, part.Message = PresentOf(own), own.Reason, own.Message
	if since := metav1.NewTime(own.Deadline.Truncate(time.Second)); own.Status == healthcheck.False && part.LastTransitionTime.Before(&since) {
		part.LastTransitionTime = since
	}
	return &part
}

// PresentOf returns a judgement as it would be stored.
func PresentOf(own healthcheck.Result) metav1.ConditionStatus {
	if own.Status == healthcheck.Progressing {
		return metav1.ConditionUnknown
	}
	return metav1.ConditionStatus(own.Status)
}

// PassedOver says why a MachineHealthCheck begins no repair now, apart from its gate; empty if it may. What cannot be seen in the facts, its status
// says.
func PassedOver(f Facts, now time.Time) string {
	mhc := f.MachineHealthCheck
	config, _, problems := configuration(f)
	template := meta.FindStatusCondition(mhc.Status.Conditions, ConditionTemplateAvailable)
	switch stop := stopped(f, problems, now); {
	case len(mhcspec.Paused(mhc, f.Cluster)) > 0:
		return "it is paused"
	case config.OnlyReports():
		return "it only reports"
	case stop.Reason == ReasonOnHold:
		return "it is on hold"
	case stop.Reason != "", current(mhc, allowedNow(mhc)) && allowedNow(mhc).Reason == ReasonInvalidConfiguration:
		return "its configuration is invalid"
	case mhcspec.PlanMissing(mhc, f.Template.Plan), current(mhc, template) && template.Status == metav1.ConditionFalse:
		return "its template does not exist"
	}
	return ""
}

// AbilityOf returns what the status of a MachineHealthCheck says about whether it may repair, and about which of its generations. Which
// conditions are suspect, its message says.
func AbilityOf(mhc *clusterv1.MachineHealthCheck) (ability [4]string) {
	for i, conditionType := range []string{ConditionRemediationAllowed, ConditionDryRun, ConditionTemplateAvailable, ConditionSignalsTrusted} {
		if c := meta.FindStatusCondition(mhc.Status.Conditions, conditionType); c != nil {
			ability[i] = fmt.Sprint(c.Status, c.Reason, c.ObservedGeneration)
		}
	}
	if suspects := suspectsBefore(mhc); len(suspects) > 0 {
		ability[3] += fmt.Sprint(suspects)
	}
	return ability
}

func allowedNow(mhc *clusterv1.MachineHealthCheck) *metav1.Condition {
	return meta.FindStatusCondition(mhc.Status.Conditions, ConditionRemediationAllowed)
}

func current(mhc *clusterv1.MachineHealthCheck, c *metav1.Condition) bool {
	return c != nil && c.ObservedGeneration == mhc.Generation
}

// Governing returns the MachineHealthCheck whose settings hold for a record: the one that admitted its machine, or the oldest if that does not select
// the machine any more, or if somebody else asked. Checks are those that select the machine, the oldest first.
func Governing(r *v1alpha1.MachineRemediation, checks []*clusterv1.MachineHealthCheck) *clusterv1.MachineHealthCheck {
	i := slices.IndexFunc(checks, func(mhc *clusterv1.MachineHealthCheck) bool { return mhc.Name == r.Spec.HealthCheckRef.Name })
	switch {
	case i >= 0 && !r.Spec.AskedFor():
		return checks[i]
	case len(checks) > 0:
		return checks[0]
	}
	return nil
}

// Lead notes for each machine that several MachineHealthChecks select which other one repairs it: the one whose record is open, or else the oldest that
// finds it sick and may repair it now. PassedOver says why one may not.
func (f *Facts) Lead(passedOver func(*clusterv1.MachineHealthCheck) (string, error)) error {
	records := f.openByMachine()
	for i := range f.Targets {
		shared := f.Targets[i].Shared
		if shared == nil {
			continue
		}
		if r := records[f.Targets[i].Machine.UID]; r != nil {
			shared.Other = f.unlessThis(Governing(r, shared.Checks))
			continue
		}
		for _, older := range shared.Older {
			why, err := passedOver(older)
			if err != nil {
				return err
			}
			if why == "" {
				shared.Other = older.Name
				break
			}
		}
	}
	return nil
}

func (f *Facts) unlessThis(mhc *clusterv1.MachineHealthCheck) string {
	if mhc.Name == f.MachineHealthCheck.Name {
		return ""
	}
	return mhc.Name
}

// other returns the MachineHealthCheck that repairs the machine instead of this one; empty if this one does.
func (t Target) other() string {
	if t.Shared == nil {
		return ""
	}
	return t.Shared.Other
}

// Repaired reports whether the machine counts as undecided because it is repaired for another MachineHealthCheck.
func (t Target) Repaired() bool { return t.Shared != nil && t.Shared.Repaired }

// ours reports whether the machine is sick and this MachineHealthCheck repairs it.
func (t Target) ours() bool { return t.sick() && t.other() == "" }

// needsRepair reports whether the machine is sick. What this MachineHealthCheck has begun goes on while any that selects the machine finds it so.
func (t Target) needsRepair(open *v1alpha1.MachineRemediation) bool {
	if t.Shared == nil || t.other() != "" || open == nil || !ladder.HasBegun(open) {
		return t.sick()
	}
	return meta.IsStatusConditionFalse(t.Machine.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition) && !t.deleting()
}

// answers reports whether this MachineHealthCheck gives slots to what people ask for on the machine: the oldest that selects it does.
func (f Facts) answers(t Target) bool {
	return t.Shared == nil || t.Shared.Checks[0].Name == f.MachineHealthCheck.Name
}
