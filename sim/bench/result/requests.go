package result

import "strings"

// Phase is a time in which requests are counted by verb.
type Phase string

// The phases: a minute in which nobody is sick; the time after the deadline of a machine that falls sick alone; and a storm
// from its first Node on. The last two count per sick machine.
const (
	AtRest Phase = "rest"
	Remedy Phase = "remedy"
	Storm  Phase = "storm"
)

// Phases returns all phases in display order.
func Phases() []Phase { return []Phase{AtRest, Remedy, Storm} }

// Verbs returns the HTTP verbs in display order. Subjects create only events and records of repairs.
func Verbs() []string { return []string{"GET", "PATCH", "PUT", "DELETE", "POST"} }

// Requests returns the measure for the number of requests with one verb. A LIST is a GET, and a watch in progress does not
// count.
func Requests(during Phase, verb string) Measure {
	return Measure("requests-" + string(during) + "-" + strings.ToLower(verb))
}

// describeRequests describes such a measure.
func describeRequests(m Measure) (Info, bool) {
	for _, phase := range Phases() {
		for _, verb := range Verbs() {
			if Requests(phase, verb) == m {
				return Info{Title: verb + ", " + string(phase), Means: "Requests with this verb.", Unit: "1"}, true
			}
		}
	}
	return Info{}, false
}
