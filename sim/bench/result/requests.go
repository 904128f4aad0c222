package result

import "strings"

// Phase is a time over which requests are counted by their verbs.
type Phase string

// The phases: a minute in which nobody is sick, what follows the deadline of a machine that falls sick alone, and a storm
// from its first Node on, both for each sick machine.
const (
	AtRest Phase = "rest"
	Remedy Phase = "remedy"
	Storm  Phase = "storm"
)

// Phases returns all phases, in the order in which they are shown.
func Phases() []Phase { return []Phase{AtRest, Remedy, Storm} }

// Verbs returns those of HTTP, in the order in which they are shown. What subjects create is events, and records of repairs.
func Verbs() []string { return []string{"GET", "PATCH", "PUT", "DELETE", "POST"} }

// Requests is the measure of how many there are with one verb. A LIST is a GET, and watches that go on do not count.
func Requests(during Phase, verb string) Measure {
	return Measure("requests-" + string(during) + "-" + strings.ToLower(verb))
}

// describeRequests says what there is to say about such a measure.
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
