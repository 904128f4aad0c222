package externalremediation

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// made returns a request that reached its phase so long ago.
func made(phase v1alpha1.Phase, ago time.Duration, message string) *v1alpha1.RebootRemediation {
	request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Name: "r"}}
	request.Status.Phase, request.Status.FinishedAt = phase, new(metav1.NewTime(now.Add(-ago)))
	status := metav1.ConditionFalse
	if phase == v1alpha1.Succeeded {
		status = metav1.ConditionTrue
	}
	request.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: status, Reason: "R", Message: message}}
	return request
}

// TestDecide has a row for each outcome.
func TestDecide(t *testing.T) {
	failed, again := made(v1alpha1.Failed, time.Hour, "no power"), now.Add(time.Minute)
	inVain, recovered := outcome(failed), made(v1alpha1.Aborted, 0, "The machine has recovered by itself")
	recovered.Status.Outcome = v1alpha1.ReasonRecovered
	succeeded := func(ago time.Duration) *v1alpha1.RebootRemediation {
		return made(v1alpha1.Succeeded, ago, "The Node is back")
	}
	for name, tt := range map[string]struct {
		facts Facts
		want  Decision
	}{
		"nothing asked":                     {Facts{}, Decision{}},
		"asked":                             {Facts{Asked: true, Free: "r"}, Decision{Action: Create}},
		"asked, and those before are there": {Facts{Asked: true}, Decision{RecheckAt: again}},
		"asked, and healthy by now":         {Facts{Asked: true, Healthy: true}, Decision{Action: Settle}},
		"asked, and the provider runs":      {Facts{Asked: true, Provider: "it runs"}, Decision{Action: Tell, Message: "it runs", RecheckAt: again}},
		"that was told":                     {Facts{Asked: true, Provider: "it runs", Outcome: "it runs"}, Decision{RecheckAt: again}},
		"at work":                           {Facts{Asked: true, Request: made(v1alpha1.PoweringOff, 0, "")}, Decision{}},
		"at work, and more was told before": {Facts{Asked: true, Request: made(v1alpha1.PoweringOff, 0, ""), Outcome: "no"}, Decision{Action: Tell}},
		"in vain, and not cleaned up":       {Facts{Asked: true, Request: failed}, Decision{}},
		"in vain":                           {Facts{Asked: true, Request: failed, Finished: true}, Decision{Action: Tell, Message: inVain, RecheckAt: again}},
		"in vain, which was told":           {Facts{Asked: true, Request: failed, Finished: true, Outcome: inVain}, Decision{RecheckAt: again}},
		"in vain, and healthy since":        {Facts{Asked: true, Request: failed, Finished: true, Outcome: inVain, Healthy: true}, Decision{Action: Withdraw}},
		"in vain, healthy since, and gone":  {Facts{Asked: true, Outcome: inVain, Healthy: true}, Decision{Action: Settle}},
		"done, and healthy":                 {Facts{Asked: true, Request: succeeded(0), Finished: true, Healthy: true}, Decision{Action: Withdraw}},
		"recovered, and sick again":         {Facts{Asked: true, Request: recovered, Finished: true}, Decision{Action: Withdraw}},
		"done, and not yet healthy":         {Facts{Asked: true, Request: succeeded(settle - 1), Finished: true}, Decision{RecheckAt: again}},
		"done, and it does not get healthy": {Facts{Asked: true, Request: succeeded(settle), Finished: true}, Decision{Action: Tell, Message: outcome(succeeded(settle)), RecheckAt: again}},
		"taken back":                        {Facts{Request: made(v1alpha1.PoweringOff, 0, "")}, Decision{Action: Withdraw}},
		"settled":                           {Facts{Request: failed, Finished: true}, Decision{Action: Withdraw}},
		"nothing asked any more":            {Facts{Outcome: inVain}, Decision{Action: Tell}},
	} {
		if diff := cmp.Diff(tt.want, Decide(tt.facts, now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, part := range []string{"no power", "delete RebootRemediation r"} {
		if !strings.Contains(inVain, part) {
			t.Errorf("%q does not say %q", inVain, part)
		}
	}
}
