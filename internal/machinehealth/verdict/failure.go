package verdict

import (
	"regexp"
	"strings"

	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mask"
)

// FailureOf says why a Machine has failed for good; empty if it has not. Cluster API no longer sets a phase for that: it copies what the
// infrastructure or bootstrap provider reports on its own object, or reports itself that this object is gone.
//
//nolint:staticcheck // Cluster API says so nowhere else than in deprecated fields.
func FailureOf(machine *clusterv1.Machine) string {
	if d := machine.Status.Deprecated; d != nil && d.V1Beta1 != nil {
		message, reason := ptr.Deref(d.V1Beta1.FailureMessage, ""), ptr.Deref(d.V1Beta1.FailureReason, "")
		if message != "" {
			if text := steady(message); text != "" {
				return text
			}
		}
		switch {
		case reason != "":
			return "Machine has failed: " + string(reason)
		case message != "":
			return "Machine has failed"
		}
	}
	if machine.Status.Phase == phaseFailed {
		return "Machine is in phase Failed"
	}
	return ""
}

// changing matches the parts of an error that change from attempt to attempt: times, local ports, request IDs and counts.
var changing = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[0-9.]*(Z|[+-]\d\d:?\d\d)?|:\d+(->)|\breq-[0-9a-f-]+|(?i:\b(attempt|try) #?\d+|\b\d+ (attempts|tries|retries|times))\b`)

// steady returns an error without the parts that change: each change of the message would be a write, and wake other controllers. It also masks
// passwords: more people may read verdicts, events and records than the object that has the error.
func steady(message string) string {
	return strings.Join(strings.Fields(changing.ReplaceAllString(mask.Text(message), "$2")), " ")
}
