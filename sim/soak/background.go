package soak

import (
	"context"
	"errors"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/sim/forecast"
)

// beat sends heartbeats for Nodes, one after the other.
func (s *soak) beat(ctx context.Context) error {
	ticker := time.NewTicker(time.Second / time.Duration(s.Beats))
	defer ticker.Stop()
	for {
		for _, m := range s.roster.all() {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return nil
			}
			// It may have been deleted just now.
			if err := client.IgnoreNotFound(s.fleet.Beat(ctx, m)); err != nil {
				return err
			}
		}
	}
}

// watchUse takes samples of the manager.
func (s *soak) watchUse(ctx context.Context, began time.Time) error {
	ticker := time.NewTicker(min(sampleEvery, s.Duration/samplesLeast))
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
		sample, ok, err := s.manager.sample(ctx, began)
		if err != nil {
			return err
		}
		if ok {
			s.report.Samples = append(s.report.Samples, sample)
		}
	}
}

// listen asks explain all the time what happens next. A prediction is broken once Sickbay itself would count as late.
func (s *soak) listen(ctx context.Context) (err error) {
	o := app.DefaultOptions()
	o.RemoteConditionsGracePeriod = unreadAfter
	s.forecasts, err = forecast.Watch(ctx, s.fleet.World.Config(), o, s.Allowances.Patience+downMost)
	return err
}

// freeze freezes the manager in the middle of the soak, if planted, when something is about to happen that it will be late for. Nothing excuses
// the delays that this causes.
func (s *soak) freeze(ctx context.Context) error {
	if s.frozen == 0 {
		return nil
	}
	err := s.wait(ctx, s.Duration/4)
	for end := time.Now().Add(s.Duration / 2); err == nil && time.Now().Before(end) && s.forecasts.Due(time.Now(), s.frozen/2) < 2; {
		err = s.wait(ctx, s.frozen/50)
	}
	return errors.Join(err, s.manager.freeze(func() error { return s.wait(ctx, s.frozen) }))
}
