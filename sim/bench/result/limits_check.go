package result

import (
	"cmp"
	"fmt"
)

// Check returns a sentence for each limit that a report misses, and for each limit without a figure in the report.
// Limits against an earlier version apply only if the report has one. Limits must come from LoadLimits.
func Check(r Report, limits []Limit) []string {
	var sentences []string
	for _, limit := range limits {
		if (limit.FullOnly && r.Quick) || (limit.againstPrevious() && !r.has(Previous)) {
			continue
		}
		fleets := limit.fleets(r)
		if len(fleets) == 0 {
			sentences = append(sentences, fmt.Sprintf("The report has no %s of %s at any fleet.", limit.Measure, Sickbay))
		}
		for _, fleet := range fleets {
			if sentence := limit.check(r, fleet); sentence != "" {
				sentences = append(sentences, sentence)
			}
		}
	}
	return sentences
}

func (l Limit) againstPrevious() bool {
	return l.Against != nil && l.Against.Subject == Previous
}

// fleets returns the fleets that the limit applies to.
func (l Limit) fleets(r Report) []Fleet {
	if fleet, err := ParseFleet(l.Fleet); err == nil {
		return []Fleet{fleet}
	}
	var fleets []Fleet
	for _, fleet := range r.Fleets() {
		if _, found := r.Find(l.Measure, fleet, Sickbay); found {
			fleets = append(fleets, fleet)
		}
	}
	return fleets
}

func (l Limit) check(r Report, fleet Fleet) string {
	figure, found := r.Find(l.Measure, fleet, Sickbay)
	if found && l.Against == nil {
		return l.checkCount(figure)
	}
	other := figure
	if found {
		other, found = l.Against.find(r, figure)
	}
	if !found {
		return fmt.Sprintf("The report has no %s.", other)
	}
	return l.checkRatio(figure, other)
}

// find returns the other figure, and whether it exists.
func (a against) find(r Report, limited Figure) (Figure, bool) {
	fleet := limited.Fleet
	if other, err := ParseFleet(a.Fleet); err == nil {
		fleet = other
	}
	return r.Find(cmp.Or(a.Measure, limited.Measure), fleet, cmp.Or(a.Subject, Sickbay))
}

// checkCount checks every round: a count hardly depends on the machine, so even one excess write matters.
func (l Limit) checkCount(figure Figure) string {
	if figure.Max() <= float64(*l.Most) {
		return ""
	}
	return fmt.Sprintf("%s is up to %.4g, and may be %.4g at most.", figure, figure.Max(), float64(*l.Most))
}

// checkRatio does not divide, so that zero against zero is no miss.
func (l Limit) checkRatio(figure, other Figure) string {
	if figure.Median() <= float64(*l.Most)*other.Median() {
		return ""
	}
	if other.Median() == 0 {
		return fmt.Sprintf("%s is %.4g, while %s is 0.", figure, figure.Median(), other)
	}
	return fmt.Sprintf("%s is %.4g times %s, and may be %.4g times that at most.",
		figure, figure.Median()/other.Median(), other, float64(*l.Most))
}
