package externalremediation

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const (
	// lookAgain is how long to wait before looking again at a machine that a power cycle has not healed: no event announces its recovery.
	lookAgain = time.Minute
	// settle is how long a machine may take to become healthy after a successful cycle.
	settle = 5 * time.Minute
)

// Facts are the facts about one Machine.
type Facts struct {
	// Asked reports whether the Machine has the annotation of OpenShift's health check.
	Asked bool
	// Healthy reports whether its Node is Ready and no condition of a health check matches. It is read only where it matters.
	Healthy bool
	// Outcome is what the Machine's annotation says; empty if there is none.
	Outcome string
	// Request is the request for the annotation; nil if there is none. A request that is being deleted does not count.
	Request *v1alpha1.RebootRemediation
	// Free is the name for the next request; empty while requests that are being deleted take all names.
	Free string
	// Finished reports whether Request has ended and left nothing to clean up.
	Finished bool
	// Provider says who else carries the annotation out; empty if nobody does.
	Provider string
}

// Action is what to do.
type Action string

// The actions.
const (
	// Nothing means that there is nothing to do.
	Nothing Action = ""
	// Create makes the RebootRemediation, and Withdraw deletes it.
	Create   Action = "Create"
	Withdraw Action = "Withdraw"
	// Tell writes the outcome to the Machine, or removes it if the message is empty.
	Tell Action = "Tell"
	// Settle removes the annotation and the outcome.
	Settle Action = "Settle"
)

// Decision is what to do now.
type Decision struct {
	Action Action
	// Message is the outcome that Tell writes.
	Message string
	// RecheckAt is when to look again if no event comes before; zero means never.
	RecheckAt time.Time
}

// Decide decides about one Machine.
func Decide(f Facts, now time.Time) Decision {
	again := now.Add(lookAgain)
	switch {
	case !f.Asked && f.Request != nil:
		// Removing the annotation withdraws the request. The next annotation makes a new one.
		return Decision{Action: Withdraw}
	case !f.Asked:
		return tell(f, "", time.Time{})
	case f.Request != nil:
		return decideOn(f, now)
	case f.Provider != "":
		// The annotation is the provider's, even if the machine is healthy for a moment.
		return tell(f, f.Provider, again)
	case f.Healthy:
		return Decision{Action: Settle}
	case f.Free == "":
		return tell(f, "", again)
	}
	return Decision{Action: Create}
}

// decideOn decides about the request for the annotation.
func decideOn(f Facts, now time.Time) Decision {
	again, status := now.Add(lookAgain), f.Request.Status
	switch {
	case !f.Finished:
		return tell(f, "", time.Time{})
	case f.Healthy, status.Outcome == v1alpha1.ReasonRecovered:
		// Delete the request before removing the annotation: the next annotation has nothing to do with it. Nor has a new sickness of a
		// machine that had recovered.
		return Decision{Action: Withdraw}
	case status.Phase == v1alpha1.Succeeded && now.Before(finishedAt(f.Request).Add(settle)):
		return tell(f, "", again)
	}
	return tell(f, outcome(f.Request), again)
}

// tell writes the message to the Machine, unless it is there already.
func tell(f Facts, message string, again time.Time) Decision {
	if f.Outcome == message {
		return Decision{RecheckAt: again}
	}
	return Decision{Action: Tell, Message: message, RecheckAt: again}
}

func finishedAt(request *v1alpha1.RebootRemediation) time.Time {
	if request.Status.FinishedAt == nil {
		return time.Time{}
	}
	return request.Status.FinishedAt.Time
}

// outcome says why a machine is still sick, and what a person can do.
func outcome(request *v1alpha1.RebootRemediation) string {
	why := "the machine is still not healthy"
	if c := meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded); c != nil && c.Status != metav1.ConditionTrue && c.Message != "" {
		why = c.Message
	}
	return "Power-cycling the host did not help: " + why + ". Nothing more is done: repair or delete the machine, or delete RebootRemediation " +
		request.Name + " to have its host cycled once more"
}
