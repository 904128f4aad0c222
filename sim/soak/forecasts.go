package soak

import (
	"context"
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/sim/forecast"
)

// Forecasts is how often explain said what would happen next, and how often it happened within a second.
type Forecasts struct {
	// Excused is how often it happened later, since the manager was restarted or the machine was busy. Late are the others.
	Kept, Prompt, Excused, Late int
}

// listen asks explain all the time what happens next. What was said is broken once Sickbay itself would be called late.
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

// tell adds what became of what explain said. What came late without an excuse, or not at all, must not have been.
func (r *Report) tell(told forecast.Report) {
	r.Forecasts = Forecasts{Kept: told.Kept, Prompt: told.Prompt, Excused: told.Excused, Late: len(told.Late)}
	for _, one := range told.Late {
		r.Violations = append(r.Violations, "What explain said came late. "+one.String()+".")
	}
	for _, one := range told.Broken {
		r.Violations = append(r.Violations, "What explain said did not come true. "+one+".")
	}
}
