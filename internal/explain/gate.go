package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// Allowed returns the condition RemediationAllowed as of now.
func (c *Check) Allowed(now time.Time) metav1.Condition {
	status := admission.Status(c.Facts, c.Decision, metav1.NewTime(now))
	return conditions.Of(status.Conditions, admission.ConditionRemediationAllowed)
}

// wait returns why a machine that is due is not admitted; nil if it is admitted or not due.
func (m *Machine) wait() *admission.Waiting {
	if m.Check == nil {
		return nil
	}
	of := func(w admission.Waiting) bool { return w.UID == m.Machine.UID }
	if i := slices.IndexFunc(m.Check.Decision.Waiting, of); i >= 0 {
		return &m.Check.Decision.Waiting[i]
	}
	return nil
}

// admitted reports whether the machine is admitted at this moment.
func (m *Machine) admitted() bool {
	return m.Check != nil && slices.ContainsFunc(m.Check.Decision.Admit, func(a admission.Admission) bool { return a.Machine.UID == m.Machine.UID })
}

// place returns the place of a machine among those that wait for the same reason, counted from 1; 0 if it is not in line.
func (m *Machine) place() (place, of int) {
	mine := m.wait()
	if mine == nil {
		return 0, 0
	}
	for _, one := range m.Check.Decision.Waiting {
		if one.Reason != mine.Reason {
			continue
		}
		of++
		if one.UID == m.Machine.UID {
			place = of
		}
	}
	return place, of
}

// opens says what would open a closed gate; empty if the gate is open or something other than triggerIf stops repairs.
func (c *Check) opens() string {
	d := &c.Decision
	if c.Problem != "" || d.Allowed || d.Stopped.Reason != "" || len(d.Paused) > 0 {
		return ""
	}
	unhealthy, most := d.Counts.Unhealthy(), d.MaxUnhealthy()
	if unhealthy <= most {
		return "when more machines are not healthy: the range has a lower bound"
	}
	recover := "one more machine is healthy"
	if n := unhealthy - most; n > 1 {
		recover = fmt.Sprintf("%d more machines are healthy", n)
	}
	if gone := c.enoughGone(); gone != "" {
		recover += ", or " + gone
	}
	percent := (100*unhealthy + d.Counts.Expected - 1) / d.Counts.Expected
	return fmt.Sprintf("when %s, or the limit is at least %d (%d%%); the time is unknown", recover, unhealthy, percent)
}

// enoughGone says which machines in deletion have to be gone for a closed gate to open, since it counts them; empty if they are not enough.
func (c *Check) enoughGone() string {
	most, bounded := admission.GateBound(c.MachineHealthCheck)
	var names []string
	for _, m := range c.Machines {
		if !m.Machine.DeletionTimestamp.IsZero() {
			names = append(names, m.Machine.Name)
		}
	}
	unhealthy, expected := c.Decision.Counts.Unhealthy(), c.Decision.Counts.Expected
	for n := 1; bounded && n <= len(names); n++ {
		switch open := unhealthy-n <= most(expected-n); {
		case open && n < len(names):
			return fmt.Sprintf("%d of those that are being deleted (%s) %s gone", n, SomeNames(names), isOrAre(n))
		case open:
			return fmt.Sprintf("%s, which %s being deleted, %s gone", SomeNames(names), isOrAre(n), isOrAre(n))
		}
	}
	return ""
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// slots says how many slots are in use, and by which machines.
func (c *Check) slots() string {
	d := &c.Decision
	if c.Problem != "" || !d.Bounded() || len(d.Paused) > 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %d in use", len(d.InFlight), d.Slots())
	if len(d.InFlight) > 0 {
		text += ", by " + SomeNames(slices.Sorted(maps.Values(d.InFlight)))
	}
	return text
}

// NotRepaired begins the words for what keeps a machine from being repaired.
const NotRepaired = "NOT being repaired: "

// waitWords are the words of a headline for what a machine waits for, by reason.
var waitWords = map[string]string{
	v1alpha1.ReasonNoSlot:            "waiting for a slot",
	v1alpha1.ReasonGateClosed:        NotRepaired + "the gate is closed",
	v1alpha1.ReasonOnHold:            NotRepaired + "on hold",
	v1alpha1.ReasonPaced:             "waiting for earlier repairs to prove themselves",
	v1alpha1.ReasonBackoff:           "to be retried later",
	v1alpha1.ReasonApprovalRequired:  "waiting for approval",
	v1alpha1.ReasonPaused:            NotRepaired + "paused",
	v1alpha1.ReasonUndecided:         "waiting for a clear verdict",
	v1alpha1.ReasonRefused:           "to be retried later, because its owner refuses or has not begun",
	admission.ReasonTemplateNotFound: NotRepaired + "the remediation template is missing",
	admission.ReasonOtherCheck:       "repaired for another MachineHealthCheck that selects it",
	admission.ReasonSignalSuspected:  NotRepaired + "so many Nodes show the same at once that their detector may be wrong",
	admission.ReasonAwaited:          "judged by the repair of the machine that it replaces",

	v1alpha1.ReasonRemediationHeldByOthers: "left to others",
	admission.ReasonInvalidConfiguration:   NotRepaired + "the MachineHealthCheck is invalid",
	admission.ReasonKindsNotInstalled:      NotRepaired + "Sickbay's kinds are not installed",
	admission.ReasonDeleting:               NotRepaired + "its Cluster is being deleted",
}

// CheckLine is a MachineHealthCheck in a table.
type CheckLine struct {
	Namespace string `json:"namespace"`
	Cluster   string `json:"cluster"`
	Name      string `json:"name"`
	Machines  int    `json:"machines"`
	Healthy   int    `json:"healthy"`
	Sick      int    `json:"sick"`
	Undecided int    `json:"undecided"`
	Deleting  int    `json:"deleting"`
	// Gate says whether machines may be repaired, and gives the numbers.
	Gate string `json:"gate"`
	// Open reports whether machines may be repaired.
	Open bool `json:"open"`
	// Slots says how many slots are in use, of how many; empty if there is no limit.
	Slots string `json:"slots,omitempty"`
}

func (c *Check) line(now time.Time) CheckLine {
	mhc, n := c.MachineHealthCheck, c.Decision.Counts
	return CheckLine{
		Namespace: mhc.Namespace, Cluster: mhc.Spec.ClusterName, Name: mhc.Name, Machines: n.Expected, Healthy: n.Healthy,
		Sick: n.Sick, Undecided: n.Undecided + n.Unconfirmed, Deleting: n.Deleting, Gate: c.gate(now), Open: c.Decision.Allowed,
		Slots: c.slots(),
	}
}

// gate says whether machines may be repaired, and gives the numbers, as the condition RemediationAllowed does.
func (c *Check) gate(now time.Time) string {
	switch {
	case c.Foreign:
		return "not managed by this Sickbay"
	case c.Problem != "":
		return c.Problem
	case len(c.Decision.Paused) > 0:
		return strings.Join(c.Decision.Paused, ", ")
	case c.Nothing != "" && c.Decision.Stopped.Reason == "":
		return c.Nothing
	}
	return c.Allowed(now).Message
}
