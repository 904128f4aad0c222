package view

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/simulate"
)

// SimulateQuery is what a person wants to see played. All is as typed; empty means as it is.
type SimulateQuery struct {
	// Check is namespace/name.
	Check string
	// Limit, Slots and Timeout are put in the place of those of the check, and StepTimeout in that of all steps of its plan.
	Limit, Slots, Timeout, StepTimeout string
	Fail, Until, Takes                 string
	InVain                             bool
}

// SimulatePage is the timeline that would be.
type SimulatePage struct {
	Query  SimulateQuery
	Checks []string
	// Is are the settings as they are.
	Is SimulateQuery
	// Problem says why nothing is played; empty if something is.
	Problem string
	Played  bool
	Answer  string
	Result  simulate.Result
	Rows    []EventRow
	More    int
	Chart   *Steps
}

// EventRow is a line of the timeline.
type EventRow struct {
	simulate.Event
	Clock string
	// After is how long it is until then.
	After string
	Who   string
	Used  string
}

// maxEvents is how many lines of a timeline are shown, maxWho how many machines one names, and longest how far it is played.
const (
	maxEvents = 200
	maxWho    = 3
	longest   = 48 * time.Hour
	// maxFails is how much may be named that fails.
	maxFails = 20
)

// SimulateForm is the page before anything is played.
func (l *Look) SimulateForm(q SimulateQuery) SimulatePage {
	p := SimulatePage{Query: q}
	for _, c := range l.Facts.Checks {
		p.Checks = append(p.Checks, c.MachineHealthCheck.Namespace+"/"+c.MachineHealthCheck.Name)
	}
	return p
}

// SimulatePage plays the fleet with a check as a person has changed it, until stop says that it has taken long enough. Nothing is played
// before somebody asks.
func (l *Look) SimulatePage(q SimulateQuery, policy mhcspec.Policy, stop func() bool) SimulatePage {
	p := l.SimulateForm(q)
	if q.Check == "" {
		return p
	}
	i := slices.Index(p.Checks, q.Check)
	if i < 0 {
		p.Problem = fmt.Sprintf("there is no MachineHealthCheck %s", q.Check)
		return p
	}
	p.Is = settings(l.Facts.Checks[i])
	if err := p.play(l.Facts, l.Facts.Checks[i], policy, stop); err != nil {
		p.Problem = err.Error()
	}
	return p
}

// settings are those of a check as it is.
func settings(c *explain.Check) SimulateQuery {
	is := SimulateQuery{Until: "2h", Takes: "10m"}
	trigger := c.MachineHealthCheck.Spec.Remediation.TriggerIf
	is.Limit = trigger.UnhealthyInRange
	if limit := trigger.UnhealthyLessThanOrEqualTo; limit != nil {
		is.Limit = limit.String()
	}
	if slots := c.Decision.Config.MaxInFlight; slots != nil {
		is.Slots = slots.String()
	}
	for _, one := range c.MachineHealthCheck.Spec.Checks.UnhealthyNodeConditions {
		if one.TimeoutSeconds != nil {
			is.Timeout = simulate.Span(time.Duration(*one.TimeoutSeconds) * time.Second)
		}
	}
	return is
}

func (p *SimulatePage) play(facts *explain.Facts, c *explain.Check, policy mhcspec.Policy, stop func() bool) error {
	o, err := p.Query.options()
	o.Stop = stop
	if err != nil {
		return err
	}
	changes, err := p.Query.changes(c)
	if err != nil {
		return err
	}
	scene, err := simulate.Suppose(facts, changes, policy)
	if err != nil {
		return err
	}
	if p.Result, err = scene.Play(o); err != nil {
		return err
	}
	p.Played, p.Answer = true, p.Result.Answer()
	if p.Result.Summary.Unfinished != "" {
		p.Answer = "Not played to the end. So far: " + p.Answer
	}
	p.More = max(0, len(p.Result.Timeline)-maxEvents)
	for _, e := range p.Result.Timeline[:len(p.Result.Timeline)-p.More] {
		p.Rows = append(p.Rows, eventRow(e, p.Result.From))
	}
	p.Chart = stepsOf(&p.Result)
	return nil
}

func (q SimulateQuery) options() (simulate.Options, error) {
	until, err1 := span("look ahead", q.Until, 2*time.Hour)
	takes, err2 := span("a repair takes", q.Takes, 10*time.Minute)
	o := simulate.Options{For: until, RepairTakes: takes}
	if q.InVain {
		o.World = simulate.InVain
	}
	if until > longest {
		return o, fmt.Errorf("look ahead: %s is more than %s", simulate.Span(until), simulate.Span(longest))
	}
	if q.Fail == "" {
		return o, errors.Join(err1, err2)
	}
	fails := strings.FieldsFunc(q.Fail, func(r rune) bool { return r == ',' || r == ' ' })
	if len(fails) > maxFails {
		return o, fmt.Errorf("what fails now: it names %d, which is more than %d", len(fails), maxFails)
	}
	for _, text := range fails {
		fail, err := simulate.ParseFail(text)
		if err != nil {
			return o, err
		}
		o.Fails = append(o.Fails, fail)
	}
	return o, errors.Join(err1, err2)
}

// span reads a duration that has to be above 0.
func span(what, text string, otherwise time.Duration) (time.Duration, error) {
	if text == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(strings.TrimSpace(text))
	if err != nil || d < time.Second {
		return otherwise, fmt.Errorf("%s: %q is no duration of at least a second, like 90s, 10m or 2h", what, text)
	}
	return d, nil
}

func eventRow(e simulate.Event, from time.Time) EventRow {
	row := EventRow{Event: e, Clock: explain.Clock(e.At, from), After: "+" + Span(e.At.Sub(from)), Who: strings.Join(e.Machines, ", ")}
	if n := len(e.Machines); n > maxWho {
		row.Who = fmt.Sprintf("%s and %d more", strings.Join(e.Machines[:maxWho-1], ", "), n-maxWho+1)
	}
	if e.Slots != nil {
		row.Used = fmt.Sprintf("%d of %d", e.InFlight, *e.Slots)
	}
	row.Who = cmp.Or(row.Who, e.Check)
	return row
}
