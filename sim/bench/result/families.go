package result

import (
	"fmt"
	"strings"
)

// Hanging returns the numbers of clusters that hang at the same time, one per measurement. 0 is for comparison.
func Hanging() []int { return []int{0, 1, 3, 8, 50} }

// HangVerdict is the 99th percentile of the detection delay in the other clusters while that many hang.
func HangVerdict(clusters int) Measure { return Measure(fmt.Sprintf("hang-%d-verdict", clusters)) }

// HangMark is the same for the mark, before which Sickbay reads the Node live.
func HangMark(clusters int) Measure { return Measure(fmt.Sprintf("hang-%d-mark", clusters)) }

// aboutHanging describes these measures.
func aboutHanging() []About {
	var all []About
	for _, n := range Hanging() {
		title := fmt.Sprintf("Beside %d hanging, ", n)
		all = append(all,
			About{HangVerdict(n), Info{title + "verdict p99", "In the clusters that do not hang: from the deadline of a machine that falls sick alone to its stored verdict.", "s"}},
			About{HangMark(n), Info{title + "mark p99", "The same to the mark for the owner.", "s"}},
		)
	}
	return all
}

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

// Requests returns the measure for the number of requests with one verb. A LIST is a GET, and a watch in progress does not count.
func Requests(during Phase, verb string) Measure {
	return Measure("requests-" + string(during) + "-" + strings.ToLower(verb))
}

// aboutRequests describes these measures.
func aboutRequests() []About {
	var all []About
	for _, phase := range Phases() {
		for _, verb := range Verbs() {
			all = append(all, About{Requests(phase, verb), Info{verb + ", " + string(phase), "Requests with this verb.", "1"}})
		}
	}
	return all
}
