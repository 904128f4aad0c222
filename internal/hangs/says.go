package hangs

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mask"
)

// Says is what one of a Machine's own conditions says.
type Says struct {
	// Type, Status and Reason are those of the condition.
	Type, Status, Reason string
	// Text is its message, on one line and without passwords; it may be empty.
	Text string
	// Since is when its status began; zero if unknown.
	Since time.Time
}

// Words quotes the condition in one sentence.
func (s Says) Words() string { return s.Type + " is " + s.Status + s.why() }

// why gives the reason, unless it says no more than the status, and the message.
func (s Says) why() string {
	text := ""
	if s.Text == "" || !plain[s.Reason] {
		text = " (" + s.Reason + ")"
	}
	if s.Text != "" {
		text += ": " + s.Text
	}
	return text
}

// plain are reasons that say no more than the status.
var plain = map[string]bool{
	"": true, clusterv1.NotReadyReason: true, clusterv1.ReadyUnknownReason: true, clusterv1.InspectionFailedReason: true, "NoReasonReported": true,
}

// condition returns what a condition of a Machine says; false if the Machine has none of that type.
func condition(machine *clusterv1.Machine, conditionType string) (Says, bool) {
	c := meta.FindStatusCondition(machine.Status.Conditions, conditionType)
	if c == nil {
		return Says{}, false
	}
	return Says{c.Type, string(c.Status), onOneLine(c.Reason), onOneLine(c.Message), c.LastTransitionTime.Time}, true
}

// deprecated returns what a condition from before v1beta2 says: older providers, and drains that fail, say more there.
func deprecated(machine *clusterv1.Machine, conditionType string) (Says, bool) {
	for _, c := range machine.GetV1Beta1Conditions() {
		if string(c.Type) == conditionType {
			return Says{string(c.Type), string(c.Status), onOneLine(c.Reason), onOneLine(c.Message), c.LastTransitionTime.Time}, true
		}
	}
	return Says{}, false
}

// open reports whether a condition is there, and is not True.
func (s Says) open() bool { return s.Type != "" && s.Status != string(metav1.ConditionTrue) }

// empty reports whether the message only repeats that something is not so, or refers to a log.
func (s Says) empty() bool {
	return s.Text == "" || strings.Contains(s.Text, "status.initialization.") || strings.HasSuffix(s.Text, "check controller logs for errors")
}

// onOneLine joins the lines of a message. Lists become parts of a sentence.
func onOneLine(message string) string {
	text := ""
	for line := range strings.Lines(mask.Text(message)) {
		line = strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "* ")), " ")
		switch {
		case line == "":
		case text == "" || strings.HasSuffix(text, ":"):
			text = strings.TrimSpace(text + " " + line)
		default:
			text += "; " + line
		}
	}
	return text
}

// Older returns the conditions from before v1beta2 that this package may read: those that are not True, of a Machine that is being deleted or has no
// Node.
//
//nolint:staticcheck // Older providers, and drains that fail, say more there.
func Older(machine *clusterv1.Machine) clusterv1.Conditions {
	if machine.DeletionTimestamp.IsZero() && machine.Status.NodeRef.IsDefined() {
		return nil
	}
	var kept clusterv1.Conditions
	for _, c := range machine.GetV1Beta1Conditions() {
		reads := slices.ContainsFunc(older, func(one olderCondition) bool { return one.was == string(c.Type) })
		if reads && c.Status != corev1.ConditionTrue {
			kept = append(kept, c)
		}
	}
	return kept
}
