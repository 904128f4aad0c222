package view

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/simulate"
)

// SimulateQuery is what a person wants to simulate, as typed. Empty values leave the settings as they are.
type SimulateQuery struct {
	// Check is namespace/name.
	Check string
	// Limit, Slots and Timeout replace those of the check, and StepTimeout those of all steps of its plan.
	Limit, Slots, Timeout, StepTimeout string
	Fail, Until, Takes                 string
	InVain                             bool
}

// SimulatePage is the page with the simulated timeline.
type SimulatePage struct {
	Query  SimulateQuery
	Checks []string
	// Is has the current settings.
	Is SimulateQuery
	// Problem says why nothing was simulated; empty if something was.
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
	// After is how long after the beginning it happens.
	After string
	Who   string
}

// maxEvents is how many lines of a timeline are shown, and longest is how far ahead a simulation may look.
const (
	maxEvents = 200
	longest   = 48 * time.Hour
	// maxFails is how many values Fail may have.
	maxFails = 20
)

// SimulateForm returns the page before a simulation.
func (l *Look) SimulateForm(q SimulateQuery) SimulatePage {
	p := SimulatePage{Query: q}
	for _, c := range l.Facts.Checks {
		p.Checks = append(p.Checks, c.MachineHealthCheck.Namespace+"/"+c.MachineHealthCheck.Name)
	}
	return p
}

// Playing is what a simulation needs besides a look at the fleet.
type Playing struct {
	Policy mhcspec.Policy
	// Owners reads the owners of healthy machines, of which a look knows nothing; nil if nobody reads them.
	Owners simulate.ReadOwner
	// Stop says that it has taken long enough; nil if it may take any time.
	Stop func() bool
}

// SimulatePage simulates the fleet with a person's changes to a check. Without a check, it simulates nothing.
func (l *Look) SimulatePage(q SimulateQuery, with Playing) SimulatePage {
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
	if err := p.play(l.Facts, l.Facts.Checks[i], with); err != nil {
		p.Problem = err.Error()
	}
	return p
}

// settings returns the current settings of a check.
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
			is.Timeout = humanize.Span(time.Duration(*one.TimeoutSeconds) * time.Second)
		}
	}
	return is
}

func (p *SimulatePage) play(facts *explain.Facts, c *explain.Check, with Playing) error {
	o, err := p.Query.options()
	o.Stop = with.Stop
	if err != nil {
		return err
	}
	changes, err := p.Query.changes(c)
	if err != nil {
		return err
	}
	scene, err := simulate.Suppose(facts, changes, with.Policy)
	if err != nil {
		return err
	}
	if with.Owners != nil {
		scene.ReadOwners(with.Owners)
	}
	if p.Result, err = scene.Play(o); err != nil {
		return err
	}
	p.Played, p.Answer = true, p.Result.Answer()
	if p.Result.Summary.Unfinished != "" {
		p.Answer = "The simulation is incomplete. So far: " + p.Answer
	}
	told := p.Result.Told()
	p.More = max(0, len(told)-maxEvents)
	for _, e := range told[:len(told)-p.More] {
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
		return o, fmt.Errorf("look ahead: %s is more than %s", humanize.Span(until), humanize.Span(longest))
	}
	if q.Fail == "" {
		return o, errors.Join(err1, err2)
	}
	fails := strings.FieldsFunc(q.Fail, func(r rune) bool { return r == ',' || r == ' ' })
	if len(fails) > maxFails {
		return o, fmt.Errorf("what fails now: it has %d values, and at most %d are allowed", len(fails), maxFails)
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

// span parses a duration of at least a second.
func span(what, text string, otherwise time.Duration) (time.Duration, error) {
	if text == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(strings.TrimSpace(text))
	if err != nil || d < time.Second {
		return otherwise, fmt.Errorf("%s: %q is not a duration of at least a second, such as 90s, 10m or 2h", what, text)
	}
	return d, nil
}

func eventRow(e simulate.Event, from time.Time) EventRow {
	return EventRow{Event: e, Clock: explain.Clock(e.At, from), After: "+" + Span(e.At.Sub(from)), Who: cmp.Or(e.Who(false), e.Check)}
}
