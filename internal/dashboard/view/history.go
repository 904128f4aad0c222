package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
)

// HistoryQuery is a person's query of the history.
type HistoryQuery struct {
	Text string
	// Since is how far to look back; 0 means to the beginning.
	Since time.Duration
	Page  int
}

// At returns the same query for another page.
func (q HistoryQuery) At(page int) HistoryQuery {
	q.Page = page
	return q
}

// HistoryPage is the table of repairs, with statistics.
type HistoryPage struct {
	Query HistoryQuery
	Rows  []RepairRow
	Pages Pages
	Stats explain.Stats
	// Outcomes are how repairs ended, most frequent first.
	Outcomes []Outcome
	Steps    []StepRow
	Again    []AgainRow
	Chart    *Columns
}

// RepairRow is a repair in a table.
type RepairRow struct {
	explain.Repair
	When                    string
	Admit, Act, Heal        string
	Steps                   string
	Class                   string
	MachineLink, RecordLink Link
}

// Outcome is how many repairs ended in one way.
type Outcome struct {
	Name  string
	N     int
	Class string
}

// StepRow is how often a step helped.
type StepRow struct {
	explain.StepStats
	// Said says how many of the attempts with a known result helped; W is their share.
	Said string
	W    string
}

// AgainRow is a machine or host that was repaired more than once.
type AgainRow struct {
	explain.Again
	Link
}

// HistoryPage returns a page of the table of repairs.
func (l *Look) HistoryPage(q HistoryQuery) HistoryPage {
	now := l.Facts.Now
	since := time.Time{}
	if q.Since > 0 {
		since = now.Add(-q.Since)
	}
	records := make([]v1alpha1.MachineRemediation, 0, len(l.Facts.Records))
	for _, r := range l.Facts.Records {
		records = append(records, *r.Record)
	}
	all := explain.History(records, since)
	words := strings.Fields(strings.ToLower(q.Text))
	all = slices.DeleteFunc(all, func(r explain.Repair) bool { return !mentions(&r, words) })
	which, shown := paged(q.Page, all)
	p := HistoryPage{Query: q.At(which.Page), Pages: which, Stats: explain.Sum(all), Chart: outcomesOverTime(all, now)}
	for _, one := range shown {
		p.Rows = append(p.Rows, l.repairRow(one))
	}
	p.sum(l)
	return p
}

func mentions(r *explain.Repair, words []string) bool {
	text := strings.ToLower(strings.Join([]string{r.Namespace, r.Machine, r.Cluster, r.Host, r.Name, r.Reason, r.Outcome}, "\n"))
	return hasAll(text, words)
}

// hasAll reports whether a text contains all words.
func hasAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

func (l *Look) repairRow(r explain.Repair) RepairRow {
	row := RepairRow{
		Repair: r, When: explain.Clock(r.Detected, l.Facts.Now), Admit: explain.Took(&r.Detected, &r.Admitted), Act: explain.Took(&r.Admitted, r.Acted), Heal: explain.Took(r.Acted, r.Healthy),
		Class: outcomeClass(r), MachineLink: l.to("machines", r.Namespace, r.Machine), RecordLink: Link{Section: "records", Namespace: r.Namespace, Name: r.Name},
	}
	for i, attempt := range r.Attempts {
		if i == 0 || attempt.Step != r.Attempts[i-1].Step {
			row.Steps = join(row.Steps, attempt.Step)
		}
	}
	return row
}

// outcomeClass returns the CSS class for how a repair ended, or for its phase.
func outcomeClass(r explain.Repair) string {
	if r.Unproven {
		return "o-unproven"
	}
	switch r.Outcome {
	case v1alpha1.ReasonRecovered, v1alpha1.ReasonReplaced:
		return "o-helped"
	case v1alpha1.ReasonRecoveredUnaided:
		return "o-unaided"
	case string(v1alpha1.RemediationPending), string(v1alpha1.RemediationActing), string(v1alpha1.RemediationProbation), "":
		return "o-open"
	case string(v1alpha1.RemediationHeld):
		return "o-held"
	}
	return "o-failed"
}

func (p *HistoryPage) sum(l *Look) {
	for _, name := range slices.Sorted(maps.Keys(p.Stats.Outcomes)) {
		unproven := name == v1alpha1.ReasonReplaced && p.Stats.Unproven == p.Stats.Outcomes[name]
		p.Outcomes = append(p.Outcomes, Outcome{name, p.Stats.Outcomes[name], outcomeClass(explain.Repair{Outcome: name, Unproven: unproven})})
	}
	slices.SortStableFunc(p.Outcomes, func(a, b Outcome) int { return cmp.Compare(b.N, a.N) })
	for _, one := range p.Stats.Steps {
		p.Steps = append(p.Steps, stepRow(one))
	}
	for _, one := range p.Stats.Again[:min(len(p.Stats.Again), most)] {
		row := AgainRow{Again: one}
		if one.Kind == "machine" {
			row.Link = l.to("machines", one.Namespace, one.Name)
		}
		p.Again = append(p.Again, row)
	}
}

func stepRow(s explain.StepStats) StepRow {
	row := StepRow{StepStats: s, W: "0"}
	if percent, known := s.Percent(); known {
		row.Said, row.W = fmt.Sprintf("%s of %s (%d%%)", explain.Number(s.Helped), explain.Number(s.Tried-s.Unproven), percent), unit(float64(width*percent)/100)
	}
	if s.Unproven > 0 {
		row.Said = explain.JoinParts(row.Said, explain.Number(s.Unproven)+" unproven")
	}
	return row
}
