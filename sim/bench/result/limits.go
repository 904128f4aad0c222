package result

import (
	"cmp"
	"fmt"
	"slices"
)

// Limit bounds a figure of Sickbay: its ratio to another figure of the same run, or a count. Times and bytes have only ratios, because they differ
// between machines.
type Limit struct {
	Measure Measure
	// Fleet is the zero value for each fleet for which Sickbay has a figure.
	Fleet Fleet
	// Against is the figure to compare with: what it leaves out is the same. Without any of it, the limit is for a count.
	Against Key
	// Most is the greatest ratio of medians, or the greatest count in any round.
	Most float64
	// FullOnly excludes the limit from short runs.
	FullOnly bool
}

// Limits returns what the figures of Sickbay must be within. What was measured when a limit was set is in parentheses.
func Limits() []Limit {
	upstream, floor, previous := Key{Subject: Upstream}, Key{Subject: Floor}, Key{Subject: Previous}
	return []Limit{
		// The goal (1/560): upstream looks at a MachineHealthCheck once in 15 seconds.
		{VerdictP99, Large, upstream, 1. / 20, true},
		// The goal is about marks as much as about verdicts (1/58).
		{MarkP99, Large, upstream, 1. / 20, true},
		// The goal of 1/10 is out of reach where the API server needs half of upstream's time for the writes alone. Never slower is what is left
		// (1/1.2).
		{StormMark, Large, upstream, 1, true},
		// The goal is 1.5 (1.58, and 1.3 to 1.7 in the rounds).
		{StormMark, Large, floor, 1.7, true},
		// The goal (1.2: 44.4 s against 1,000 verdicts of the floor's storm in 3.76 s).
		{FirstStart, Large, floor, 1.2, true},
		// The goal (1.1, with ten clusters of 100 beside).
		{ReadBytes, Large, floor, 1.2, true},
		// The goal is no effect that can be measured (1/1.3); the margin is the noise of two p99. Those of 3, 8 and 50 clusters that hang get limits
		// when a quiet machine has measured them.
		{HangVerdict(1), Many, Key{Measure: HangVerdict(0)}, 1.5, true},

		// The goal of 1/20 is below the floor, which is an eighth of upstream; the margin is half of what was measured (1/6.4).
		{HeartbeatCPU, Large, upstream, 1. / 3, true},
		// The goal is 1.5 (1.3). A short run counts some twenty ticks of the clock, and a machine that does something else doubles them.
		{HeartbeatCPU, Fleet{}, floor, 3, false},
		// The goal is a cost that does not grow with the fleet (1/1.1); the margin is the noise of two runs.
		{HeartbeatCPU, Large, Key{Fleet: Middle}, 1.5, true},

		// The goal (0): where nothing happens there is nothing to write.
		{IdleWrites, Fleet{}, Key{}, 0, false},
		// The goal is 6 for a whole replacement (4.6). Here nobody replaces the machine, so the end of its record is not in it: verdict, record, mark,
		// what the record says of it, and the status of the MachineHealthCheck, which machines share that fall sick together.
		{RemedyWrites, Fleet{}, Key{}, 6, false},
		// The goal of 12 is reached where several machines fall sick in a second (11.9) and share what is read past the caches before they are admitted
		// and marked. One alone, as in a short run, takes 16, of which one is not for the remedy but for kinds that are not installed.
		{RemedyRequests, Fleet{}, Key{}, 17, false},
		// The goal is one for a repair, which says that it has begun; the other one is that of the verdict (2).
		{RemedyEvents, Fleet{}, Key{}, 2, false},

		// The goal (1.4): before the mark there is one more write, the record, and what it rests on is read once more.
		{HandoverP99, Fleet{}, previous, 1.3, false},
		// The goal is memory as before (1.1). Of 200 machines nearly all of it is the process itself, which has more kinds to watch.
		{Memory, Fleet{}, previous, 1.2, false},
		// The goal (1/3.9).
		{Memory, Large, upstream, 0.5, true},
	}
}

// Check returns a sentence for each limit that a report misses, and for each limit without a figure in the report.
// Limits against an earlier version apply only if the report has one.
func Check(r Report, limits []Limit) []string {
	var sentences []string
	for _, limit := range limits {
		if limit.FullOnly && r.Quick() || limit.Against.Subject == Previous && !r.has(Previous) {
			continue
		}
		fleets := []Fleet{limit.Fleet}
		if limit.Fleet == (Fleet{}) {
			if fleets = r.fleets(limit.Measure); len(fleets) == 0 {
				sentences = append(sentences, fmt.Sprintf("The report has no %s of %s at any fleet.", limit.Measure, Sickbay))
			}
		}
		for _, fleet := range fleets {
			if sentence := limit.check(r, Key{limit.Measure, fleet, Sickbay}); sentence != "" {
				sentences = append(sentences, sentence)
			}
		}
	}
	return sentences
}

// has reports whether there is any figure of a subject.
func (r Report) has(s Subject) bool {
	return slices.ContainsFunc(r.keys(), func(k Key) bool { return k.Subject == s })
}

// fleets returns the fleets for which Sickbay has a figure.
func (r Report) fleets(m Measure) (fleets []Fleet) {
	for _, k := range r.keys() {
		if k.Measure == m && k.Subject == Sickbay {
			fleets = append(fleets, k.Fleet)
		}
	}
	return fleets
}

func (l Limit) check(r Report, of Key) string {
	to := of
	if l.Against.Fleet != (Fleet{}) {
		to.Fleet = l.Against.Fleet
	}
	to.Measure, to.Subject = cmp.Or(l.Against.Measure, of.Measure), cmp.Or(l.Against.Subject, of.Subject)
	for _, k := range []Key{of, to} {
		if len(r.Figures[k]) == 0 {
			return fmt.Sprintf("The report has no %s.", k)
		}
	}
	if to == of {
		return l.checkCount(of, slices.Max(r.Figures[of]))
	}
	return l.checkRatio(of, to, Median(r.Figures[of]), Median(r.Figures[to]))
}

// checkCount checks every round: a count hardly depends on the machine, so even one excess write matters.
func (l Limit) checkCount(of Key, greatest float64) string {
	if greatest <= l.Most {
		return ""
	}
	return fmt.Sprintf("%s is up to %.4g, and may be %.4g at most.", of, greatest, l.Most)
}

// checkRatio does not divide, so that zero against zero is no miss.
func (l Limit) checkRatio(of, to Key, value, other float64) string {
	if value <= l.Most*other {
		return ""
	}
	if other == 0 {
		return fmt.Sprintf("%s is %.4g, while %s is 0.", of, value, to)
	}
	return fmt.Sprintf("%s is %.4g times %s, and may be %.4g times that at most.", of, value/other, to, l.Most)
}
