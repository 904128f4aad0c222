package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/sickbay-dev/sickbay/internal/humanize"
)

// ago formats how long something has lasted, as kubectl prints ages.
func ago(since, now time.Time) string {
	return duration.HumanDuration(max(0, now.Sub(since)))
}

// Took formats how long something took; empty if it did not happen, or has not ended.
func Took(from, to *time.Time) string {
	if from == nil || to == nil {
		return ""
	}
	return ago(*from, *to)
}

// Seconds formats a number of seconds.
func Seconds(s float64) string {
	return duration.HumanDuration(time.Duration(s * float64(time.Second)))
}

// halfDay is how close to now a time must be to need no date.
const halfDay = 12 * time.Hour

// Clock formats a time for people, without the date if it is within half a day of now.
func Clock(at, now time.Time) string {
	at = at.UTC()
	if d := at.Sub(now); d > halfDay || d < -halfDay {
		return at.Format("2006-01-02 15:04:05 UTC")
	}
	return at.Format("15:04:05 UTC")
}

// Number formats a number for people, with its digits in groups of three.
func Number(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Count formats a number of things, with the plural of regular nouns.
func Count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + one + "s"
}

// maxNames is how many names a sentence may have.
const maxNames = 5

// SomeNames joins the first few of some names.
func SomeNames(all []string) string {
	return humanize.Some(all, maxNames)
}

// JoinParts joins the parts of a sentence that are not empty.
func JoinParts(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

// sentences joins sentences that may be empty.
func sentences(first, second string) string {
	if first == "" || second == "" {
		return first + second
	}
	return first + ". " + second
}

// Summary describes the fleet in one sentence.
func (p *Fleet) Summary() string {
	return fmt.Sprintf("%s, %s: %s", Count(p.Clusters, "cluster"), Count(p.Machines, "machine"), counted(p.States))
}

// Headline answers the first question: is there something for a person to do?
func (p *Fleet) Headline() string {
	switch {
	case p.idle && p.Machines > p.States[StateHealthy]:
		return "No manager leads: nothing is repaired"
	case len(p.NeedsYou) > 0:
		return Count(len(p.NeedsYou), "thing") + " for you to decide"
	case len(p.Unreadable) > 0:
		return Count(len(p.Unreadable), "cluster") + " cannot be read"
	case p.heldBack > 0:
		return Count(p.heldBack, "sick machine") + " held back"
	case len(p.Deleting) > 0:
		return deletionsHang(len(p.Deleting))
	case p.Machines == 0:
		return "There are no machines"
	case p.States[StateHealthy] == p.Machines:
		return "All machines are healthy"
	case 2*p.States[StateUndecided] > p.Machines:
		return "Most machines are undecided"
	}
	return "Nothing needs you now"
}

// counted says how many machines are in each state, healthy ones first.
func counted(states map[State]int) string {
	parts := []string{Number(states[StateHealthy]) + " healthy"}
	for _, one := range []State{
		StateSick, StateOnHold, StateHeld, StateInRepair, StateProbation, StateUndecided, StateDeleting, StatePaused, StateUnwatched,
	} {
		if n := states[one]; n > 0 {
			parts = append(parts, Number(n)+" "+stateWords[one])
		}
	}
	return strings.Join(parts, ", ")
}

func deletionsHang(n int) string {
	if n == 1 {
		return "1 machine takes long to be deleted"
	}
	return Number(n) + " machines take long to be deleted"
}
