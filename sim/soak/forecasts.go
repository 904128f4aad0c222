package soak

import (
	"context"
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/sim/forecast"
)

// Forecasts counts what explain predicted, and how often it happened within a second.
type Forecasts struct {
	// Excused counts events that came later because the manager restarted or the machine was busy. Late counts the others.
	Kept, Prompt, Excused, Late int
}

// listen asks explain all the time what happens next. A prediction is broken once Sickbay itself would count as late.
func (s *soak) listen(ctx context.Context) error {
	grace, err := time.ParseDuration(unreadAfter)
	if err != nil {
		return fmt.Errorf("reading how long Nodes may be unread: %w", err)
	}
	o := app.DefaultOptions()
	o.RemoteConditionsGracePeriod = grace
	s.told, err = forecast.Watch(ctx, s.fleet.World.Config(), o, s.Allowances.Patience+downMost)
	return err
}

// tell adds the outcome of explain's predictions. An event that came late without an excuse, or never, is a violation.
func (r *Report) tell(told forecast.Report) {
	r.Forecasts = Forecasts{Kept: told.Kept, Prompt: told.Prompt, Excused: told.Excused, Late: len(told.Late)}
	for _, one := range told.Late {
		r.Violations = append(r.Violations, "What explain said came late. "+one.String()+".")
	}
	for _, one := range told.Broken {
		r.Violations = append(r.Violations, "What explain said did not come true. "+one+".")
	}
}
