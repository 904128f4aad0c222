package externalremediation

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const (
	// lookAgain is how soon a machine is looked at again that cycling its host has not healed: nothing announces that it is healthy.
	lookAgain = time.Minute
	// settle is how long a machine has to become healthy after a cycle that has succeeded.
	settle = 5 * time.Minute
)

// Facts are what is known of one Machine.
type Facts struct {
	// Asked tells that the Machine has the annotation of OpenShift's health check.
	Asked bool
	// Healthy tells that its Node is Ready, and nothing matches that a health check would call unhealthy. It is known only where it
	// matters.
	Healthy bool
	// Told is what the Machine says about the outcome; empty if nothing.
	Told string
	// Request is what was made for the annotation; nil if nothing was. One that is being deleted does not count.
	Request *v1alpha1.RebootRemediation
	// Free is the name that the next one gets; empty while all are taken by those that are being deleted.
	Free string
	// Finished tells that Request has ended, and that nothing of it is left.
	Finished bool
	// Provider says that somebody else carries the annotation out; empty if nobody does.
	Provider string
}

// Action is what to do.
type Action string

// The actions.
const (
	// Nothing is to be done.
	Nothing Action = ""
	// Create makes the RebootRemediation, and Withdraw deletes it.
	Create   Action = "Create"
	Withdraw Action = "Withdraw"
	// Tell says on the Machine what became of it, or takes that away if there is nothing to say.
	Tell Action = "Tell"
	// Settle takes the annotation away, and what was told.
	Settle Action = "Settle"
)

// Decision is what to do now.
type Decision struct {
	Action Action
	// Message is for Tell.
	Message string
	// RecheckAt is when to look again though nothing announces anything; zero is never.
	RecheckAt time.Time
}

// Decide looks at one Machine.
func Decide(f Facts, now time.Time) Decision {
	again := now.Add(lookAgain)
	switch {
	case !f.Asked && f.Request != nil:
		// Taking the annotation away withdraws it. The next one is another request.
		return Decision{Action: Withdraw}
	case !f.Asked:
		return tell(f, "", time.Time{})
	case f.Request != nil:
		return decideOn(f, now)
	case f.Healthy:
		return Decision{Action: Settle}
	case f.Provider != "":
		return tell(f, f.Provider, again)
	case f.Free == "":
		return tell(f, "", again)
	}
	return Decision{Action: Create}
}

// decideOn looks at what was made for the annotation.
func decideOn(f Facts, now time.Time) Decision {
	again, status := now.Add(lookAgain), f.Request.Status
	switch {
	case !f.Finished:
		return tell(f, "", time.Time{})
	case f.Healthy, status.Outcome == v1alpha1.ReasonRecovered:
		// It goes before the annotation: what is asked for next has nothing to do with it. So has what ails a machine that had recovered.
		return Decision{Action: Withdraw}
	case status.Phase == v1alpha1.Succeeded && now.Before(finishedAt(f.Request).Add(settle)):
		return tell(f, "", again)
	}
	return tell(f, outcome(f.Request), again)
}

// tell has the Machine say something, unless it does.
func tell(f Facts, message string, again time.Time) Decision {
	if f.Told == message {
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

// outcome says why a machine is not healed, and who has to do something.
func outcome(request *v1alpha1.RebootRemediation) string {
	why := "the machine is still not healthy"
	if c := meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded); c != nil && c.Status != metav1.ConditionTrue && c.Message != "" {
		why = c.Message
	}
	return "The host was not cycled to any avail: " + why + ". Nothing more is done: repair or delete the machine, or delete RebootRemediation " +
		request.Name + " to have its host cycled once more"
}
